import type { SelfSpend } from 'psbt-market-client'
import { ExploredId } from '../content/explored-id.tsx'
import { Amount } from '../ui/values/amount.tsx'

/** What a spend that ends a signature costs and does. */
export const SpendFacts = ({ spend }: { spend: SelfSpend }) => (
  <>
    <dl class="facts">
      <dt>Goes to</dt>
      <dd>
        <ExploredId of="address" id={spend.destinationAddress} name="address" />
      </dd>
      <dt>Arrives</dt>
      <dd>
        <Amount sats={spend.outputValuesSats[0] ?? '0'} />
      </dd>
      <dt>Network fee</dt>
      <dd>
        <Amount sats={spend.networkFeeSats} /> at {spend.feeRateSatsPerVb} sats per vbyte
      </dd>
    </dl>
    <ul class="notices">
      {spend.notices.map(({ code, message }) => (
        <li key={`${code} ${message}`}>{message}</li>
      ))}
    </ul>
  </>
)

/** Of its file. */
export const endName = ({ outpoint }: SelfSpend): string => `end-${outpoint.replace(':', '-')}`
