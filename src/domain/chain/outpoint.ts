import type { Outpoint, OutpointText, Txid } from '../../schemas/scalars.ts'

/** `txid:vout`. */
export const outpointText = ({ txid, vout }: Outpoint): OutpointText =>
  `${txid}:${vout}` as OutpointText

/** The reverse of `outpointText`, for text that a schema has accepted. */
export const parseOutpoint = (text: OutpointText): Outpoint => ({
  txid: text.slice(0, 64) as Txid,
  vout: Number(text.slice(65)),
})

/** The 36 bytes by which a transaction names an outpoint: txid in internal order ‖ vout as u32 LE. */
export function serialisedOutpoint({ txid, vout }: Outpoint): Buffer {
  const bytes = Buffer.alloc(36)
  Buffer.from(txid, 'hex').reverse().copy(bytes)
  bytes.writeUInt32LE(vout, 32)
  return bytes
}

/** As `RawTransaction.spentKey`: the same bytes, one character each. */
export const outpointKey = (outpoint: Outpoint): string =>
  serialisedOutpoint(outpoint).toString('latin1')

/** Does the text, an outpoint or a txid alone, name another output than the offered one? */
export const isOtherOutput = (claimed: string, offered: OutpointText): boolean =>
  claimed !== offered && claimed !== parseOutpoint(offered).txid
