import { useMutation } from '@tanstack/preact-query'
import { market } from '../api/market.ts'
import { ActionForm } from '../ui/action-form.tsx'
import { BytesField } from '../ui/bytes-field.tsx'
import { textIn } from '../ui/form-text.ts'
import { isTransactionHex, withoutSpace } from '../ui/pasted-bytes.ts'
import { PreflightView } from './preflight-view.tsx'

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
        show={(result) => <PreflightView result={result} />}
      >
        <BytesField
          name="signed"
          label="Signed PSBT (base64 or hexadecimal), or the final transaction (hexadecimal)"
        />
      </ActionForm>
    </section>
  )
}
