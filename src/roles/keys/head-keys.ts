import { type HeadSigner, openHeadSigner } from '../../domain/heads/sign-head.ts'
import { OperatorError } from '../../ports/base-errors.ts'
import type { Config } from '../../schemas/config/config.ts'

/** HEADS_KEY is no key. */
export class HeadsKeyError extends OperatorError {
  override name = 'HeadsKeyError'
}

type HeadsKeySettings = Pick<Config, 'HEADS_KEY' | 'HEADS_PUBLIC_KEYS' | 'BITCOIN_NETWORK'>

/** Null: no heads are signed. A key that was kept beside the log would prove nothing, so none is made. */
export function headSigner({
  HEADS_KEY,
  HEADS_PUBLIC_KEYS,
  BITCOIN_NETWORK,
}: HeadsKeySettings): HeadSigner | null {
  if (!HEADS_KEY) return null
  const signer = openHeadSigner(Buffer.from(HEADS_KEY, 'hex'), BITCOIN_NETWORK, HEADS_PUBLIC_KEYS)
  if (!signer) throw new HeadsKeyError('HEADS_KEY is not a private key of secp256k1: make another')
  return signer
}

/** The public keys whose heads count; empty: none is named. */
export const knownHeadKeys = (config: HeadsKeySettings): string[] => {
  const own = headSigner(config)?.publicKey
  return [...(own ? [own] : []), ...(config.HEADS_PUBLIC_KEYS ?? [])]
}
