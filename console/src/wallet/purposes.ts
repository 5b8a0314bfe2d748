import type { WalletAddress } from './wallet-port.ts'

/** A wallet may name one address for both purposes: it is then one address. */
export function withoutTwins(found: readonly WalletAddress[]): WalletAddress[] {
  const [first] = found
  const isOne = first !== undefined && found.every(({ address }) => address === first.address)
  return isOne ? [{ ...first, purpose: 'both' }] : [...found]
}
