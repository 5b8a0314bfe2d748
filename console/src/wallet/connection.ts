import { scriptOfAddress } from '../../../src/domain/script/address.ts'
import { isNetwork } from './networks.ts'
import { preparedPsbt, type SignedPsbt, signedPsbt } from './signed-psbt.ts'
import { type ToSign, type WalletAddress, WalletError, type WalletPort } from './wallet-port.ts'

/** A person reads, unlocks and confirms: longer than that is a wallet that hangs. */
const PATIENCE_MS = 300_000

export interface Connection {
  wallet: WalletPort
  /** Of the service, and so of the wallet. */
  network: string
  addresses: readonly WalletAddress[]
}

interface Patience {
  patienceMs?: number
  /** Aborted: what the wallet answers from then on is thrown away. */
  signal?: AbortSignal
}

/** @throws WalletError, where the wallet is on another network too */
export async function connectWallet(
  wallet: WalletPort,
  network: string,
  { patienceMs = PATIENCE_MS }: Patience = {},
): Promise<Connection> {
  const addresses = await withPatience(wallet.connect(), patienceMs)
  if (addresses.length === 0) {
    throw new WalletError('no-address', `${wallet.name} has no Bitcoin address: make an account.`)
  }
  const its = await withPatience(wallet.network(), patienceMs)
  const isElsewhere = (its !== null && its !== network) || !areOf(addresses, network)
  if (isElsewhere) {
    throw new WalletError(
      'other-network',
      `${wallet.name} is on ${its ?? 'another network'}: switch it to ${network}, then connect again.`,
    )
  }
  return { wallet, network, addresses }
}

const areOf = (addresses: readonly WalletAddress[], network: string): boolean =>
  isNetwork(network) && addresses.every(({ address }) => scriptOfAddress(address, network) !== null)

/** The wallet's address of an output's script. @throws WalletError, where it is another's */
export function ownerOf({ wallet, network, addresses }: Connection, scriptHex: string): string {
  const owner = addresses.find(
    ({ address }) => isNetwork(network) && scriptOfAddress(address, network) === scriptHex,
  )
  if (owner) return owner.address
  throw new WalletError(
    'account-changed',
    `The output is not of this account: choose its owner in ${wallet.name}, and connect again.`,
  )
}

/** Has the wallet sign these inputs of a PSBT, base64. @throws WalletError */
export async function signWith(
  connection: Connection,
  psbt: string,
  toSign: readonly ToSign[],
  patience: Patience = {},
): Promise<SignedPsbt> {
  const prepared = preparedPsbt(psbt, toSign, connection.addresses)
  const returned = await undisturbed(connection, patience, (wallet) =>
    wallet.sign(prepared, toSign),
  )
  return signedPsbt(prepared, returned, toSign)
}

/** A BIP-322 proof of the address, base64. @throws WalletError */
export const proveWith = (
  connection: Connection,
  address: string,
  message: string,
  patience: Patience = {},
): Promise<string> =>
  undisturbed(connection, patience, (wallet) => wallet.signMessage(address, message))

/** What the wallet answers in time, if it is the account and the network of the connection. */
async function undisturbed<T>(
  { wallet, network, addresses }: Connection,
  { patienceMs = PATIENCE_MS, signal }: Patience,
  ask: (wallet: WalletPort) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted()
  let end = () => {}
  const changed = new Promise<never>((_, reject) => {
    end = wallet.onChange((what) => reject(changedError(what)))
    signal?.addEventListener('abort', () => reject(signal.reason))
  })
  try {
    const answer = await withPatience(Promise.race([ask(wallet), changed]), patienceMs)
    const [its, now] = await withPatience(
      Promise.all([wallet.network(), wallet.addressesNow()]),
      patienceMs,
    )
    if (its !== null && its !== network) throw changedError('network')
    if (now !== null && !addresses.some(({ address }) => now.includes(address))) {
      throw changedError('account')
    }
    signal?.throwIfAborted()
    return answer
  } finally {
    end()
  }
}

const changedError = (what: 'account' | 'network'): WalletError =>
  new WalletError(
    `${what}-changed`,
    `The wallet’s ${what} changed meanwhile: what it signed was thrown away. Connect again.`,
  )

async function withPatience<T>(answer: Promise<T>, patienceMs: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    const words = 'The wallet gave no answer. Open it: it may wait for you. Nothing was sent.'
    timer = setTimeout(() => reject(new WalletError('no-answer', words)), patienceMs)
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}
