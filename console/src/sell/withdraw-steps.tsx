import { useMutation } from '@tanstack/preact-query'
import type { OrderSummary } from 'psbt-market-client'
import { market } from '../api/market.ts'
import { Broadcast } from '../ui/broadcast.tsx'
import { outpointText } from '../ui/outpoints.ts'
import { StateBadge } from '../ui/state-badge.tsx'
import { Trouble } from '../ui/trouble.tsx'
import type { Connection } from '../wallet/connection.ts'
import { WithWallet } from '../wallet/wallet-chooser.tsx'
import { SIGN_ALL, WalletError } from '../wallet/wallet-port.ts'

/** A withdrawal by a wallet in the browser. */
export const Withdrawing = ({ orderId }: { orderId: string }) => (
  <WithWallet>
    {(connection) => <WithdrawSteps orderId={orderId} connection={connection} />}
  </WithWallet>
)

/** The withdrawal, and then the spend without which the signature stays valid elsewhere. */
function WithdrawSteps({ orderId, connection }: { orderId: string; connection: Connection }) {
  const withdraw = useMutation({ mutationFn: () => withdrawn(orderId, connection) })
  const spend = useMutation({ mutationFn: (of: Withdrawn) => spentToSelf(of, connection) })
  const ended = withdraw.data
  return (
    <div aria-live="polite">
      {!ended && (
        <button type="button" disabled={withdraw.isPending} onClick={() => withdraw.mutate()}>
          {withdraw.isPending ? 'Confirm it in the wallet…' : 'Withdraw it'}
        </button>
      )}
      {withdraw.error !== null && <Trouble error={withdraw.error} />}
      {ended && (
        <p class="verdict">
          The order is <StateBadge state={ended.order.state} />
        </p>
      )}
      {ended && !spend.data && (
        <>
          <p>
            Copies of the signed order stay valid until its output is spent. This transaction moves
            it, with the asset, to your own address.
          </p>
          <button type="button" disabled={spend.isPending} onClick={() => spend.mutate(ended)}>
            {spend.isPending ? 'Confirm it in the wallet…' : 'Sign the transaction that ends it'}
          </button>
        </>
      )}
      {spend.error !== null && <Trouble error={spend.error} />}
      {spend.data && (
        <>
          <p>Signed: once a block holds it, every copy of the order has ended. Now broadcast it.</p>
          <Broadcast finalTxHex={spend.data} name={`end-${orderId}`} />
        </>
      )}
    </div>
  )
}

interface Withdrawn {
  order: OrderSummary
  /** The owner of the offered output. */
  address: string
}

async function withdrawn(orderId: string, connection: Connection): Promise<Withdrawn> {
  const path = { id: orderId }
  const challenge = await market.get('/api/market/orders/{id}/ownership-challenge', { path })
  const { address, message } = challenge
  requireOwner(connection, address)
  const { proveWith } = await import('../wallet/connection.ts')
  const signature = await proveWith(connection, address, message)
  const body = { address, signature }
  const order = await market.post('/api/market/orders/{id}/withdraw', { path, body })
  return { order, address }
}

/** The final transaction, hex; its fee is taken from the output. */
async function spentToSelf({ order, address }: Withdrawn, connection: Connection): Promise<string> {
  const [offered] = order.inspection.inputOutpoints
  if (!offered) throw new Error('The order offers no output.')
  const built = await market.post('/api/market/outpoints/{outpoint}/self-spend', {
    path: { outpoint: outpointText(offered) },
    body: { destinationAddress: address },
  })
  const toSign = [{ index: 0, address, sighash: SIGN_ALL }] as const
  const { signWith } = await import('../wallet/connection.ts')
  const { finalTxHex } = await signWith(connection, built.psbt, toSign)
  if (finalTxHex === null) throw new WalletError('not-signed', 'The wallet did not sign all of it.')
  return finalTxHex
}

function requireOwner({ wallet, addresses }: Connection, owner: string): void {
  if (addresses.some(({ address }) => address === owner)) return
  throw new WalletError(
    'account-changed',
    `The output belongs to ${owner}: choose that account in ${wallet.name}, and connect again.`,
  )
}
