import {
  call,
  isObject,
  labelsIn,
  listOf,
  methodOf,
  partOf,
  textOf,
  walletErrorOf,
} from './answers.ts'
import { withoutTwins } from './purposes.ts'
import type { OwnInscription, ToSign, WalletAddress, WalletPort } from './wallet-port.ts'

const PURPOSES = ['ordinals', 'payment']
const WHY = 'To list, buy and withdraw. Nothing is signed by connecting.'
/** More are not given at once. */
const PAGE = 100

/** A provider of WBIP-004 that speaks sats-connect: Xverse and others. */
export function satsConnectWallet(id: string, name: string, provider: unknown): WalletPort {
  const request = async (method: string, params: unknown): Promise<unknown> => {
    const answer = await call(provider, 'request', method, params)
    const error = partOf(answer, 'error')
    if (error !== undefined) throw walletErrorOf(error)
    return partOf(answer, 'result')
  }
  return {
    id,
    name,
    connect: async () => {
      const result = await request('wallet_connect', { addresses: PURPOSES, message: WHY }).catch(
        (error: unknown) => {
          // Before wallet_connect there was getAddresses.
          if (walletErrorOf(error).trouble !== 'failed') throw error
          return request('getAddresses', { purposes: PURPOSES, message: WHY })
        },
      )
      return addressesIn(result)
    },
    network: async () => {
      const named = await request('wallet_getNetwork', null).catch(() => undefined)
      const network = partOf(named, 'bitcoin', 'name')
      return typeof network === 'string' ? network.toLowerCase() : null
    },
    addressesNow: async () => {
      const account = await request('wallet_getAccount', null).catch(() => undefined)
      return isObject(account) ? addressesIn(account).map(({ address }) => address) : null
    },
    // Which sighash is asked for is read from the PSBT itself, field 03.
    sign: async (psbt, toSign) => {
      const params = { psbt, signInputs: indexesByAddress(toSign), broadcast: false }
      return textOf(partOf(await request('signPsbt', params), 'psbt'), 'signed PSBT')
    },
    signMessage: async (address, message) => {
      const result = await request('signMessage', { address, message, protocol: 'BIP322' })
      return textOf(partOf(result, 'signature'), 'signature')
    },
    inscriptions: async () => {
      const params = { offset: 0, limit: PAGE }
      const result = await request('ord_getInscriptions', params).catch(() => undefined)
      const found = partOf(result, 'inscriptions')
      if (!Array.isArray(found)) return null
      return { inscriptions: found.flatMap(inscriptionIn), isFull: found.length >= PAGE }
    },
    onChange: (changed) => {
      const add = methodOf(provider, 'addListener')
      const ends = [
        add?.('accountChange', () => changed('account')),
        add?.('disconnect', () => changed('account')),
        add?.('networkChange', () => changed('network')),
      ]
      return () => {
        for (const end of ends) if (typeof end === 'function') Reflect.apply(end, undefined, [])
      }
    },
  }
}

function addressesIn(result: unknown): WalletAddress[] {
  const purposes = { ordinals: 'assets', payment: 'payments' } as const
  const found = listOf(partOf(result, 'addresses'), 'addresses').flatMap((one): WalletAddress[] => {
    const purpose = partOf(one, 'purpose')
    // `stacks` and others are no addresses of Bitcoin.
    if (purpose !== 'ordinals' && purpose !== 'payment') return []
    return [
      {
        address: textOf(partOf(one, 'address'), 'address'),
        publicKey: textOf(partOf(one, 'publicKey'), 'public key'),
        purpose: purposes[purpose],
      },
    ]
  })
  return withoutTwins(found)
}

function indexesByAddress(toSign: readonly ToSign[]): Record<string, number[]> {
  const indexes: Record<string, number[]> = {}
  for (const { address, index } of toSign) indexes[address] = [...(indexes[address] ?? []), index]
  return indexes
}

function inscriptionIn(one: unknown): OwnInscription[] {
  const [inscriptionId, output] = [partOf(one, 'inscriptionId'), partOf(one, 'output')]
  return typeof inscriptionId === 'string' && typeof output === 'string'
    ? [{ inscriptionId, output, ...labelsIn(one) }]
    : []
}
