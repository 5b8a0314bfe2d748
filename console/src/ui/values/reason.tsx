import { saidReason } from './reason-words.ts'

interface ReasonParts {
  reason: string
  /** True: of a change that left the state as it was. */
  isNoted?: boolean
}

/** A reason in words, with its code and detail. */
export function Reason({ reason, isNoted = false }: ReasonParts) {
  const { code, detail, says } = saidReason(reason, isNoted)
  return (
    <>
      {says ? `${says.charAt(0).toUpperCase()}${says.slice(1)} ` : ''}
      <span class="quiet">
        (<code>{code}</code>
        {detail && (
          <>
            {' '}
            <code class="stranger">{detail}</code>
          </>
        )}
        )
      </span>
    </>
  )
}
