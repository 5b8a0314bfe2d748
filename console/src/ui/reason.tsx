import { saidReason } from './reason-words.ts'

/** A reason in words, with its code and detail. */
export function Reason({ reason }: { reason: string }) {
  const { code, detail, says } = saidReason(reason)
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
