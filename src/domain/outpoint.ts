import type { Outpoint } from '../schemas/scalars.ts'

/** `txid:vout`. */
export const outpointText = ({ txid, vout }: Outpoint): string => `${txid}:${vout}`

/** The reverse of `outpointText`, for text that a schema has accepted. */
export const parseOutpoint = (text: string): Outpoint => ({
  txid: text.slice(0, 64),
  vout: Number(text.slice(65)),
})
