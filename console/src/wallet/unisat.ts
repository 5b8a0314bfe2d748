import { base64, hex } from '@scure/base'
import { call, labelsIn, listOf, methodOf, partOf, textOf } from './answers.ts'
import { type OwnInscription, WalletError, type WalletPort } from './wallet-port.ts'

const PAGE = 100
/** OKX has an object for each network. */
const OKX_OBJECTS: Record<string, string> = {
  mainnet: 'bitcoin',
  signet: 'bitcoinSignet',
}

/** UniSat, `window.unisat`: one account with one address. */
export const unisatWallet = (provider: unknown): WalletPort => ({
  ...injected('unisat', 'UniSat', provider),
  connect: async () => {
    const [address] = listOf(await call(provider, 'requestAccounts'), 'addresses')
    return accountOf(address, await call(provider, 'getPublicKey'))
  },
  network: async () => {
    if (!methodOf(provider, 'getChain')) return plainNetwork(await call(provider, 'getNetwork'))
    const chain = textOf(partOf(await call(provider, 'getChain'), 'enum'), 'network')
    return chain.replace(/^BITCOIN_/, '').toLowerCase()
  },
})

/** OKX, `window.okxwallet`: the calls of UniSat, at an object of its network. */
export function okxWallet(okxwallet: unknown, network: string): WalletPort | null {
  const provider = partOf(okxwallet, OKX_OBJECTS[network] ?? '')
  if (provider === undefined) return null
  return {
    ...injected('okx', 'OKX Wallet', provider),
    connect: async () => {
      const account = await call(provider, 'connect')
      const key = partOf(account, 'compressedPublicKey') ?? partOf(account, 'publicKey')
      return accountOf(partOf(account, 'address'), key)
    },
    network: async () => network,
  }
}

const accountOf = (address: unknown, publicKey: unknown) => [
  {
    address: textOf(address, 'address'),
    publicKey: textOf(publicKey, 'public key'),
    purpose: 'both' as const,
  },
]

const plainNetwork = (network: unknown): string =>
  network === 'livenet' ? 'mainnet' : textOf(network, 'network')

type Injected = Omit<WalletPort, 'connect' | 'network'>

function injected(id: string, name: string, provider: unknown): Injected {
  return {
    id,
    name,
    addressesNow: async () => {
      if (!methodOf(provider, 'getAccounts')) return null
      const accounts = listOf(await call(provider, 'getAccounts'), 'addresses')
      return accounts.map((address) => textOf(address, 'address'))
    },
    sign: async (psbt, toSign) => {
      const toSignInputs = toSign.map(({ index, address, sighash }) => ({
        index,
        address,
        sighashTypes: [sighash],
      }))
      const options = { autoFinalized: false, toSignInputs }
      const given = hex.encode(base64.decode(psbt))
      return textOf(await call(provider, 'signPsbt', given, options), 'signed PSBT')
    },
    signMessage: async (address, message) => {
      const accounts = listOf(await call(provider, 'getAccounts'), 'addresses')
      if (!accounts.includes(address)) {
        throw new WalletError('account-changed', `Choose the account of ${address} in the wallet.`)
      }
      return textOf(await call(provider, 'signMessage', message, 'bip322-simple'), 'signature')
    },
    inscriptions: async () => {
      if (!methodOf(provider, 'getInscriptions')) return null
      const answer = await call(provider, 'getInscriptions', 0, PAGE).catch(() => undefined)
      const list = partOf(answer, 'list')
      if (!Array.isArray(list)) return null
      return { inscriptions: list.flatMap(inscriptionIn), isFull: list.length >= PAGE }
    },
    onChange: (changed) => {
      const account = () => changed('account')
      const network = () => changed('network')
      const events: [string, () => void][] = [
        ['accountsChanged', account],
        ['accountChanged', account],
        ['networkChanged', network],
        ['chainChanged', network],
      ]
      for (const [event, listener] of events) methodOf(provider, 'on')?.(event, listener)
      return () => {
        for (const [event, listener] of events) {
          methodOf(provider, 'removeListener')?.(event, listener)
        }
      }
    },
  }
}

/** `location` is TXID:VOUT:OFFSET. */
function inscriptionIn(one: unknown): OwnInscription[] {
  const [inscriptionId, location] = [partOf(one, 'inscriptionId'), partOf(one, 'location')]
  if (typeof inscriptionId !== 'string' || typeof location !== 'string') return []
  const output = location.split(':').slice(0, 2).join(':')
  return [{ inscriptionId, output, ...labelsIn(one) }]
}
