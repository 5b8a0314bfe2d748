import { useMutation } from '@tanstack/preact-query'
import type { OrderSummary } from 'psbt-market-client'
import { market } from '../api/market.ts'
import { Trouble } from '../ui/awaited/trouble.tsx'
import { StateBadge } from '../ui/values/state-badge.tsx'
import type { Connection } from '../wallet/connection.ts'
import { useStepSignal } from '../wallet/step-signal.ts'
import { WithWallet } from '../wallet/wallet-chooser.tsx'
import { WalletError } from '../wallet/wallet-port.ts'
import { EndingSteps } from './ending-steps.tsx'
import { offeredIn } from './offered-in.ts'

/** A withdrawal by a wallet in the browser. */
export const Withdrawing = ({ orderId }: { orderId: string }) => (
  <WithWallet>
    {(connection) => <WithdrawSteps orderId={orderId} connection={connection} />}
  </WithWallet>
)

/** The withdrawal, and then the spend without which the signature stays valid elsewhere. */
function WithdrawSteps({ orderId, connection }: { orderId: string; connection: Connection }) {
  const signal = useStepSignal()
  const withdraw = useMutation({ mutationFn: () => withdrawn(orderId, connection, signal) })
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
      {ended && (
        <>
          <p>
            Copies of the signed order stay valid until its output is spent. This transaction moves
            it, with the asset, to your own address.
          </p>
          <EndingSteps outpoint={ended.outpoint} connection={connection} />
        </>
      )}
    </div>
  )
}

interface Withdrawn {
  order: OrderSummary
  /** The offered output, TXID:VOUT. */
  outpoint: string
}

async function withdrawn(
  orderId: string,
  connection: Connection,
  signal: AbortSignal,
): Promise<Withdrawn> {
  const path = { id: orderId }
  const challenge = await market.get('/api/market/orders/{id}/ownership-challenge', { path })
  const { address, message } = challenge
  requireOwner(connection, address)
  const { proveWith } = await import('../wallet/connection.ts')
  const signature = await proveWith(connection, address, message, { signal })
  const body = { address, signature }
  const order = await market.post('/api/market/orders/{id}/withdraw', { path, body })
  const outpoint = offeredIn(message)
  if (outpoint === null) throw new Error('The challenge names no output.')
  return { order, outpoint }
}

function requireOwner({ wallet, addresses }: Connection, owner: string): void {
  if (addresses.some(({ address }) => address === owner)) return
  throw new WalletError(
    'account-changed',
    `The output belongs to ${owner}: choose that account in ${wallet.name}, and connect again.`,
  )
}
