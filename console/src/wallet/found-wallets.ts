import { isObject, methodOf, partOf } from './answers.ts'
import { leatherWallet } from './leather.ts'
import { satsConnectWallet } from './sats-connect.ts'
import { okxWallet, unisatWallet } from './unisat.ts'
import type { WalletPort } from './wallet-port.ts'

/** They register themselves too, and have calls of their own. */
const OWN_CALLS = new Set(['LeatherProvider', 'unisat', 'okxwallet'])
const MAX_NAME = 40

/** The wallets that put themselves into this page, each once. */
export function foundWallets(page: unknown, network: string): WalletPort[] {
  const okxwallet = partOf(page, 'okxwallet')
  const unisat = partOf(page, 'unisat')
  const leather = partOf(page, 'LeatherProvider')
  const okx = isObject(okxwallet) ? okxWallet(okxwallet, network) : null
  return [
    ...registered(page),
    ...(isObject(unisat) ? [unisatWallet(unisat)] : []),
    ...(okx ? [okx] : []),
    ...(isObject(leather) ? [leatherWallet(leather, network)] : []),
  ]
}

/** Where wallets register themselves (WBIP-004): sats-connect's name, and the draft's. */
const REGISTERS = ['btc_providers', 'wbip_providers']

/** `id` is the path of the provider's object. */
function registered(page: unknown): WalletPort[] {
  const lists = REGISTERS.map((name) => partOf(page, name))
  const found = new Map<string, WalletPort>()
  for (const one of lists.flatMap((list): unknown[] => (Array.isArray(list) ? list : []))) {
    const [id, name] = [partOf(one, 'id'), partOf(one, 'name')]
    if (typeof id !== 'string' || typeof name !== 'string' || OWN_CALLS.has(id)) continue
    const provider = partOf(page, ...id.split('.'))
    if (methodOf(provider, 'request') && !found.has(id)) {
      found.set(id, satsConnectWallet(id, name.slice(0, MAX_NAME), provider))
    }
  }
  return [...found.values()]
}
