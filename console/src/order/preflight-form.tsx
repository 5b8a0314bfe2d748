import { useMutation } from '@tanstack/preact-query'
import type { PreflightResult } from 'market-client'
import { useRef } from 'preact/hooks'
import { market } from '../api/market.ts'
import { Amount } from '../ui/amount.tsx'
import { Identifier } from '../ui/identifier.tsx'
import { Trouble } from '../ui/trouble.tsx'

const HEX = /^[0-9a-fA-F\s]+$/
const PSBT_MAGIC = 'psbt'

/** A signed purchase back from a wallet, checked before it is broadcast. */
export function PreflightForm({ orderId }: { orderId: string }) {
  const text = useRef<HTMLTextAreaElement>(null)
  const check = useMutation({
    mutationFn: async (given: string) => {
      const signed = given.replace(/\s+/g, '')
      return market.post('/api/market/orders/{id}/preflight', {
        path: { id: orderId },
        body: HEX.test(signed) ? { finalTxHex: signed } : { signedPsbt: signed },
      })
    },
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    check.mutate(text.current?.value ?? '')
  }
  const take = async (files: FileList | null) => {
    const [file] = files ?? []
    if (file && text.current) text.current.value = textOf(new Uint8Array(await file.arrayBuffer()))
  }
  return (
    <section class="card" aria-labelledby="preflight">
      <h2 id="preflight">Check a signed purchase</h2>
      <form class="form" onSubmit={submit}>
        <label>
          Signed PSBT (base64), or the final transaction (hexadecimal)
          <textarea ref={text} rows={4} required />
        </label>
        <label>
          or from a file
          <input type="file" onChange={({ currentTarget }) => void take(currentTarget.files)} />
        </label>
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

/** A file of a wallet: the bytes of a PSBT, or either form as text. */
function textOf(bytes: Uint8Array): string {
  const characters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
  return characters.startsWith(PSBT_MAGIC) ? btoa(characters) : characters.trim()
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
