import { useMutation } from '@tanstack/preact-query'
import type { PreflightResult } from 'market-client'
import { market } from '../api/market.ts'
import { Amount } from '../ui/amount.tsx'
import { BytesField } from '../ui/bytes-field.tsx'
import { type FormEvent, textIn } from '../ui/form-text.ts'
import { Identifier } from '../ui/identifier.tsx'
import { isTransactionHex, withoutSpace } from '../ui/pasted-bytes.ts'
import { Trouble } from '../ui/trouble.tsx'

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
  const submit = (event: FormEvent) => {
    event.preventDefault()
    check.mutate(new FormData(event.currentTarget))
  }
  return (
    <section class="card" aria-labelledby="preflight">
      <h2 id="preflight">Check a signed purchase</h2>
      <form class="form" onSubmit={submit}>
        <BytesField
          name="signed"
          label="Signed PSBT (base64 or hexadecimal), or the final transaction (hexadecimal)"
        />
        <button type="submit" disabled={check.isPending}>
          {check.isPending ? 'Checking…' : 'Check'}
        </button>
      </form>
      <div aria-live="polite">
        {check.error && <Trouble error={check.error} />}
        {check.data && <ResultView result={check.data} />}
      </div>
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
