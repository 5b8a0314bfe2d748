import { useMutation } from '@tanstack/preact-query'
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { useHealth } from '../api/health.ts'
import { useIsDevnet } from '../api/settings.ts'
import { Trouble } from '../ui/awaited/trouble.tsx'
import { lastWallet, setConnection, useConnected } from './connected.ts'
import type { Connection } from './connection.ts'
import { foundWallets } from './found-wallets.ts'
import type { WalletPort } from './wallet-port.ts'

interface NeedsWallet {
  children(of: Connection): ComponentChildren
  /** Said where no wallet was found. */
  none?: string
}

/** What needs a wallet: what was found is offered, then the step itself is shown. */
export function WithWallet({ children, none = NONE }: NeedsWallet) {
  const { connection, ended } = useConnected()
  if (!connection)
    return (
      <>
        {ended !== null && <p role="alert">{ended}</p>}
        <WalletChooser none={none} />
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

function WalletChooser({ none }: { none: string }) {
  const network = useHealth().data?.network
  const isDevnet = useIsDevnet()
  // What a wallet answers after it was given up connects nothing.
  const attempt = useRef(0)
  const connect = useMutation({
    mutationFn: async ({ open, is }: { open: () => Promise<WalletPort>; is: number }) => {
      const { connectWallet } = await import('./connection.ts')
      const connection = await connectWallet(await open(), network ?? '')
      if (is === attempt.current) setConnection(connection)
    },
  })
  const begin = (open: () => Promise<WalletPort>) => {
    attempt.current += 1
    connect.mutate({ open, is: attempt.current })
  }
  const giveUp = () => {
    attempt.current += 1
    connect.reset()
  }
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
            onClick={() => begin(async () => wallet)}
          >
            Connect <bdi>{wallet.name}</bdi>
          </button>
        ))}
        {isDevnet && network === 'regtest' && (
          <button type="button" disabled={connect.isPending} onClick={() => begin(devnet)}>
            Connect a devnet wallet
          </button>
        )}
      </div>
      {connect.isPending && (
        <p class="row">
          <span>Waiting for the wallet: it may have opened a window.</span>
          <button type="button" class="plain" onClick={giveUp}>
            Stop waiting
          </button>
        </p>
      )}
      {found.length === 0 && (
        <p class="quiet">
          {isDevnet ? 'It is made here, with coins, and gone with this tab.' : none}{' '}
          <a href="/guide/wallets.html">Which wallets work</a>
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
