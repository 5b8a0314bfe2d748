import { useMutation } from '@tanstack/preact-query'
import type { ComponentChildren } from 'preact'
import { useHealth } from '../api/health.ts'
import { useIsDevnet } from '../api/settings.ts'
import { Trouble } from '../ui/trouble.tsx'
import { lastWallet, setConnection, useConnected } from './connected.ts'
import type { Connection } from './connection.ts'
import { foundWallets } from './found-wallets.ts'
import type { WalletPort } from './wallet-port.ts'

/** What needs a wallet: what was found is offered, then the step itself is shown. */
export function WithWallet({ children }: { children: (of: Connection) => ComponentChildren }) {
  const { connection, ended } = useConnected()
  if (!connection)
    return (
      <>
        {ended !== null && <p role="alert">{ended}</p>}
        <WalletChooser />
      </>
    )
  return (
    <>
      <p class="row">
        <span>
          Connected: <bdi>{connection.wallet.name}</bdi>
        </span>
        <button type="button" class="plain" onClick={() => setConnection(null)}>
          Disconnect
        </button>
      </p>
      {children(connection)}
    </>
  )
}

function WalletChooser() {
  const network = useHealth().data?.network
  const isDevnet = useIsDevnet()
  const connect = useMutation({
    mutationFn: async (open: () => Promise<WalletPort>) => {
      const { connectWallet } = await import('./connection.ts')
      setConnection(await connectWallet(await open(), network ?? ''))
    },
  })
  if (network === undefined) return <p class="quiet">Asking the service for its network…</p>
  const found = foundWallets(window, network).sort(lastFirst)
  return (
    <>
      <div class="row">
        {found.map((wallet) => (
          <button
            key={wallet.id}
            type="button"
            disabled={connect.isPending}
            onClick={() => connect.mutate(async () => wallet)}
          >
            Connect <bdi>{wallet.name}</bdi>
          </button>
        ))}
        {isDevnet && network === 'regtest' && (
          <button type="button" disabled={connect.isPending} onClick={() => connect.mutate(devnet)}>
            Connect a devnet wallet
          </button>
        )}
      </div>
      {found.length === 0 && (
        <p class="quiet">
          {isDevnet ? 'It is made here, with coins, and gone with this tab.' : NONE}{' '}
          <a href="/guide/wallets/">Which wallets work</a>
        </p>
      )}
      <div aria-live="polite">{connect.error !== null && <Trouble error={connect.error} />}</div>
    </>
  )
}

const NONE = 'No wallet was found in this page: sign elsewhere, by the form below.'

/** Its code is loaded when it is chosen. */
const devnet = async (): Promise<WalletPort> =>
  (await import('./devnet-wallet.ts')).openDevnetWallet()

const lastFirst = (one: WalletPort, other: WalletPort): number =>
  Number(other.name === lastWallet()) - Number(one.name === lastWallet())
