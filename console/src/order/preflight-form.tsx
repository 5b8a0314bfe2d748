import { useMutation } from '@tanstack/preact-query'
import { market } from '../api/market.ts'
import { ActionForm } from '../ui/forms/action-form.tsx'
import { BytesField } from '../ui/forms/bytes-field.tsx'
import { textIn } from '../ui/forms/form-text.ts'
import { isTransactionHex, withoutSpace } from '../ui/forms/pasted-bytes.ts'
import { PreflightView } from './preflight-view.tsx'

interface PreflightParts {
  orderId: string
  /** What was signed may be broadcast. */
  bought?(): void
}

/** A signed purchase back from a wallet, checked before it is broadcast. */
export function PreflightForm({ orderId, bought }: PreflightParts) {
  const check = useMutation({
    mutationFn: async (given: FormData) => {
      const signed = withoutSpace(textIn(given, 'signedPsbt'))
      return market.post('/api/market/orders/{id}/preflight', {
        path: { id: orderId },
        body: isTransactionHex(signed) ? { finalTxHex: signed } : { signedPsbt: signed },
      })
    },
    onSuccess: ({ allowed }) => allowed && bought?.(),
  })
  return (
    <section aria-labelledby="preflight">
      <h2 id="preflight">Check a signed purchase</h2>
      <ActionForm
        action={check}
        submit={check.mutate}
        button="Check"
        pending="Checking…"
        show={(result) => <PreflightView result={result} />}
      >
        <BytesField
          name="signedPsbt"
          label="Signed PSBT (base64 or hexadecimal), or the final transaction (hexadecimal)"
        />
      </ActionForm>
    </section>
  )
}
