import type { LogHead, SignedHead } from '../../schemas/log-head.ts'
import type { Network } from '../../schemas/scalars.ts'
import { canonicalJson } from '../json/canonical-json.ts'
import { publicKeyOf, sign, verifies } from '../script/schnorr.ts'
import { taggedHash } from '../script/tagged-hash.ts'

/** Signs heads with one key, and knows which keys may have signed earlier ones. */
export interface HeadSigner {
  /** x-only (BIP 340), lowercase hex. */
  readonly publicKey: string
  sign(head: Omit<LogHead, 'schema' | 'kind' | 'network'>): SignedHead
  /** Was it signed for this network, by this key or one of the others? */
  trusts(head: SignedHead): boolean
}

/** Nothing else that a key signs has this tag. */
const SIGNED_AS = 'market/head'

/** Null if the bytes are not a private key. They stay in the closure: no property, log or error has them. */
export function openHeadSigner(
  privateKey: Uint8Array,
  network: Network,
  otherKeys: readonly string[] = [],
): HeadSigner | null {
  const bytes = publicKeyOf(privateKey)
  if (!bytes) return null
  const publicKey = Buffer.from(bytes).toString('hex')
  return {
    publicKey,
    sign: (told) => {
      const head: LogHead = { schema: 1, kind: 'head', network, ...told }
      const signature = Buffer.from(sign(digestOf(head), privateKey)).toString('hex')
      return { ...head, publicKey, signature }
    },
    trusts: (head) =>
      head.network === network &&
      [publicKey, ...otherKeys].includes(head.publicKey) &&
      isSignedHead(head),
  }
}

/** Is the signature that of the key that the head names? */
export function isSignedHead({ publicKey, signature, ...head }: SignedHead): boolean {
  const [key, signed] = [publicKey, signature].map((hex) => Buffer.from(hex, 'hex'))
  return key !== undefined && signed !== undefined && verifies(digestOf(head), key, signed)
}

const digestOf = (head: LogHead): Uint8Array =>
  taggedHash(SIGNED_AS, Buffer.from(canonicalJson(head), 'utf8'))
