import { useMutation } from '@tanstack/preact-query'
import { market } from '../api/market.ts'
import { Broadcast } from '../ui/broadcast.tsx'
import { Trouble } from '../ui/trouble.tsx'
import type { Connection } from '../wallet/connection.ts'
import { WithWallet } from '../wallet/wallet-chooser.tsx'
import { SIGN_ALL, WalletError } from '../wallet/wallet-port.ts'

interface Ending {
  /** TXID:VOUT */
  outpoint: string
  connection: Connection
}

/** The spend that ends all that is signed for an output, by a wallet in the browser. */
export const Ending = ({ outpoint }: Pick<Ending, 'outpoint'>) => (
  <WithWallet>
    {(connection) => <EndingSteps outpoint={outpoint} connection={connection} />}
  </WithWallet>
)

/** Built by the service, signed in the wallet, broadcast by its owner. */
export function EndingSteps({ outpoint, connection }: Ending) {
  const spend = useMutation({ mutationFn: () => spentToSelf({ outpoint, connection }) })
  return (
    <div aria-live="polite">
      {spend.data ? (
        <>
          <p>Signed: once a block holds it, every copy of the order has ended. Now broadcast it.</p>
          <Broadcast finalTxHex={spend.data} name={`end-${outpoint.replace(':', '-')}`} />
        </>
      ) : (
        <button type="button" disabled={spend.isPending} onClick={() => spend.mutate()}>
          {spend.isPending ? 'Confirm it in the wallet…' : 'Sign the transaction that ends it'}
        </button>
      )}
      {spend.error !== null && <Trouble error={spend.error} />}
    </div>
  )
}

/** The final transaction, hex; its fee is taken from the output. */
async function spentToSelf({ outpoint, connection }: Ending): Promise<string> {
  const { ownerOf, signWith } = await import('../wallet/connection.ts')
  const path = { outpoint }
  const { output } = await market.get('/api/market/outpoints/{outpoint}', { path })
  const address = ownerOf(connection, output.output?.scriptHex ?? '')
  const built = await market.post('/api/market/outpoints/{outpoint}/self-spend', {
    path,
    body: { destinationAddress: address },
  })
  const toSign = [{ index: 0, address, sighash: SIGN_ALL }] as const
  const { finalTxHex } = await signWith(connection, built.psbt, toSign)
  if (finalTxHex === null) throw new WalletError('not-signed', 'The wallet did not sign all of it.')
  return finalTxHex
}
