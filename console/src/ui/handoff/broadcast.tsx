import { useMutation } from '@tanstack/preact-query'
import { play } from '../../api/devnet-control.ts'
import { useIsDevnet } from '../../api/settings.ts'
import { Trouble } from '../awaited/trouble.tsx'
import { Identifier } from '../values/identifier.tsx'
import { CopyButton } from './copy-button.tsx'
import { saveFile } from './save-file.ts'

/** A final transaction, to be sent: by the service on its own devnet, by its owner elsewhere. */
export function Broadcast({ finalTxHex, name }: { finalTxHex: string; name: string }) {
  const isDevnet = useIsDevnet()
  const send = useMutation({ mutationFn: () => play('send', { hex: finalTxHex }) })
  const mine = useMutation({ mutationFn: () => play('mine', { blocks: 1 }) })
  return (
    <>
      <label>
        Final transaction, hexadecimal
        <textarea readOnly rows={3} value={finalTxHex} />
      </label>
      <div class="row">
        <CopyButton text={finalTxHex} label="Copy it" />
        <button
          type="button"
          class="plain"
          onClick={() => saveFile(new TextEncoder().encode(finalTxHex), `${name}.txt`)}
        >
          Save it
        </button>
        {isDevnet && !send.data && (
          <button type="button" disabled={send.isPending} onClick={() => send.mutate()}>
            Send it
          </button>
        )}
      </div>
      {!isDevnet && (
        <p class="quiet">
          This service broadcasts nothing: send it by your node (<code>sendrawtransaction</code>),
          your wallet, or a block explorer that takes transactions.
        </p>
      )}
      <div aria-live="polite">
        {send.error !== null && <Trouble error={send.error} />}
        {send.data && (
          <>
            <p class="verdict">
              Sent: <Identifier id={send.data.txid} name="transaction" />
            </p>
            <p>{mine.data ? 'A block holds it.' : 'It waits for a block.'}</p>
          </>
        )}
        {send.data && !mine.data && (
          <button type="button" disabled={mine.isPending} onClick={() => mine.mutate()}>
            Mine a block
          </button>
        )}
        {mine.error !== null && <Trouble error={mine.error} />}
      </div>
    </>
  )
}
