import type { OrderSummary } from 'psbt-market-client'
import { forSide } from '../../../../src/domain/catalog/signed-by.ts'
import { saidReason } from './reason-words.ts'

interface ReasonParts {
  reason: string
  /** True: of a change that left the state as it was. */
  isNoted?: boolean
  /** Of its order. */
  side?: OrderSummary['side']
}

/** A reason in words, with its code and detail. */
export function Reason({ reason, isNoted = false, side }: ReasonParts) {
  const { code, detail, says: words } = saidReason(reason, isNoted)
  const says = words && forSide(side, words)
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
