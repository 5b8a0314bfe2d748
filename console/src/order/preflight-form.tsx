import { useMutation } from '@tanstack/preact-query'
import type { PreflightResult } from 'psbt-market-client'
import { market } from '../api/market.ts'
import { ActionForm } from '../ui/action-form.tsx'
import { Amount } from '../ui/amount.tsx'
import { BytesField } from '../ui/bytes-field.tsx'
import { textIn } from '../ui/form-text.ts'
import { Identifier } from '../ui/identifier.tsx'
import { isTransactionHex, withoutSpace } from '../ui/pasted-bytes.ts'

/** A signed purchase back from a wallet, checked before it is broadcast. */
export function PreflightForm({ orderId }: { orderId: string }) {
  const check = useMutation({
    mutationFn: async (given: FormData) => {
      const signed = withoutSpace(textIn(given, 'signed'))
      return market.post('/api/market/orders/{id}/preflight', {
        path: { id: orderId },
        body: isTransactionHex(signed) ? { finalTxHex: signed } : { signedPsbt: signed },
      })
    },
  })
  return (
    <section class="card" aria-labelledby="preflight">
      <h2 id="preflight">Check a signed purchase</h2>
      <ActionForm
        action={check}
        submit={check.mutate}
        button="Check"
        pending="Checking…"
        show={(result) => <ResultView result={result} />}
      >
        <BytesField
          name="signed"
          label="Signed PSBT (base64 or hexadecimal), or the final transaction (hexadecimal)"
        />
      </ActionForm>
    </section>
  )
}

function ResultView({ result }: { result: PreflightResult }) {
  return (
    <>
      <p class="verdict">
        {result.allowed
          ? 'Allowed: this transaction buys the order, and the node would accept it.'
          : `Not allowed: ${(result.rejectReason ?? '').replaceAll('_', ' ')}.`}
      </p>
      <dl class="facts">
        {result.txid && (
          <>
            <dt>Transaction</dt>
            <dd>
              <Identifier id={result.txid} name="transaction" />
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
