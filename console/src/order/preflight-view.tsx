import type { PreflightResult } from 'psbt-market-client'
import { ExploredId } from '../content/explored-id.tsx'
import { Broadcast } from '../ui/handoff/broadcast.tsx'
import { Amount } from '../ui/values/amount.tsx'

/** Whether a signed purchase may be broadcast, and then the transaction itself. */
export function PreflightView({ result }: { result: PreflightResult }) {
  return (
    <>
      <p class="verdict">
        {result.allowed
          ? 'Allowed: it buys the order, and the node would accept it. Now broadcast it.'
          : `Not allowed: ${(result.rejectReason ?? '').replaceAll('_', ' ')}.`}
      </p>
      {result.allowed && result.finalTxHex !== undefined && (
        <Broadcast finalTxHex={result.finalTxHex} name={`purchase-${result.orderId}`} />
      )}
      <dl class="facts">
        {result.txid && (
          <>
            <dt>Transaction</dt>
            <dd>
              <ExploredId of="tx" id={result.txid} name="transaction" />
            </dd>
          </>
        )}
        {result.feesSats && (
          <>
            <dt>Fee</dt>
            <dd>
              <Amount sats={result.feesSats} />
            </dd>
          </>
        )}
      </dl>
      <ul class="notices">
        {result.notices?.map(({ code, message }) => (
          <li key={`${code} ${message}`}>{message}</li>
        ))}
      </ul>
    </>
  )
}
