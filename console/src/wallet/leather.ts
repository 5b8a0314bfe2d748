import { base64, hex } from '@scure/base'
import { call, listOf, partOf, textOf } from './answers.ts'
import { type WalletAddress, WalletError, type WalletPort } from './wallet-port.ts'

/** Leather has no regtest: its own name of a local chain is `devnet`. */
const NETWORKS: Record<string, string> = { mainnet: 'mainnet', signet: 'signet', regtest: 'devnet' }
const PURPOSES = { p2tr: 'assets', p2wpkh: 'payments' } as const

/** Leather, `window.LeatherProvider`: it says its network with no call, and tells of no change. */
export function leatherWallet(provider: unknown, network: string): WalletPort {
  const ofNetwork = { network: NETWORKS[network] ?? network }
  const request = async (method: string, params?: object): Promise<unknown> =>
    partOf(await call(provider, 'request', method, params), 'result')
  const kinds = new Map<string, string>()
  return {
    id: 'leather',
    name: 'Leather',
    connect: async () => {
      const found = listOf(
        partOf(await request('getAddresses', ofNetwork), 'addresses'),
        'addresses',
      )
      const addresses = found.flatMap((one): WalletAddress[] => {
        const [symbol, type] = [partOf(one, 'symbol'), partOf(one, 'type')]
        if (symbol !== 'BTC' || (type !== 'p2tr' && type !== 'p2wpkh')) return []
        const address = textOf(partOf(one, 'address'), 'address')
        kinds.set(address, type)
        const publicKey = textOf(partOf(one, 'publicKey'), 'public key')
        return [{ address, publicKey, purpose: PURPOSES[type] }]
      })
      return addresses
    },
    network: async () => null,
    // It would ask the person.
    addressesNow: async () => null,
    sign: async (psbt, toSign) => {
      const params = {
        hex: hex.encode(base64.decode(psbt)),
        signAtIndex: toSign.map(({ index }) => index),
        allowedSighash: [...new Set(toSign.map(({ sighash }) => sighash))],
        broadcast: false,
        ...ofNetwork,
      }
      return textOf(partOf(await request('signPsbt', params), 'hex'), 'signed PSBT')
    },
    // It signs with the address of a kind, whichever account is chosen.
    signMessage: async (address, message) => {
      const paymentType = kinds.get(address)
      if (paymentType === undefined) {
        throw new WalletError('account-changed', `Choose the account of ${address} in the wallet.`)
      }
      const result = await request('signMessage', { message, paymentType, ...ofNetwork })
      if (textOf(partOf(result, 'address'), 'address') !== address) {
        throw new WalletError('account-changed', `Choose the account of ${address} in the wallet.`)
      }
      return textOf(partOf(result, 'signature'), 'signature')
    },
    inscriptions: async () => null,
    onChange: () => () => {},
  }
}
