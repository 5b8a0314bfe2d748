const HEX = /^(?:[0-9a-f]{2})+$/i
/** `psbt` and ff (BIP174). */
const PSBT_MAGIC_HEX = '70736274ff'

/** A pasted text without the white space that a wallet or a mail adds. */
export const withoutSpace = (text: string): string => text.replace(/\s+/g, '')

/** Hexadecimal that does not begin as a PSBT does is a transaction; anything else is a PSBT. */
export const isTransactionHex = (bytes: string): boolean =>
  HEX.test(bytes) && !bytes.toLowerCase().startsWith(PSBT_MAGIC_HEX)
