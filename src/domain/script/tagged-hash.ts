import { createHash } from 'node:crypto'

const sha256 = (...parts: readonly Uint8Array[]): Buffer => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** BIP340's tagged hash: a hash under one tag never equals one under another. */
export function taggedHash(tag: string, ...parts: readonly Uint8Array[]): Buffer {
  const prefix = sha256(Buffer.from(tag))
  return sha256(prefix, prefix, ...parts)
}
