import type { Outpoint } from '../schemas/scalars.ts'

/** An outpoint as `RawTransaction.spentKey` writes it: its 36 serialised bytes, one character each. */
export function outpointKey({ txid, vout }: Outpoint): string {
  const bytes = Buffer.alloc(36)
  Buffer.from(txid, 'hex').reverse().copy(bytes)
  bytes.writeUInt32LE(vout, 32)
  return bytes.toString('latin1')
}
