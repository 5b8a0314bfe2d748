import { invalidPsbt, psbtTooLarge } from './psbt-refused.ts'

/** The start of `psbt` and ff in base64 and in hex (BIP174). */
const BASE64_MAGIC = 'cHNidP'
const HEX_MAGIC = '70736274ff'
const HEX = /^(?:[0-9a-f]{2})*$/i

/**
 * Decodes base64 with canonical padding, or hex; no surrounding text.
 *
 * @throws PsbtRefusedError
 */
export function decodePsbtText(text: string, maxBytes: number): Uint8Array {
  const isHex = text.slice(0, HEX_MAGIC.length).toLowerCase() === HEX_MAGIC
  const longest = isHex ? maxBytes * 2 : Math.ceil(maxBytes / 3) * 4
  if (text.length > longest) throw psbtTooLarge(`the PSBT is larger than ${maxBytes} bytes`)
  if (!isHex && !text.startsWith(BASE64_MAGIC)) {
    throw invalidPsbt('the text is not a PSBT: it is neither base64 nor hex of one')
  }
  const bytes = isHex ? decodeHex(text) : decodeBase64(text)
  if (bytes.length > maxBytes) throw psbtTooLarge(`the PSBT is larger than ${maxBytes} bytes`)
  return bytes
}

export const encodeBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

function decodeHex(text: string): Uint8Array {
  if (!HEX.test(text)) throw invalidPsbt('the PSBT is not valid hex')
  return Uint8Array.from(Buffer.from(text, 'hex'))
}

// Node's decoder skips invalid characters, so only text that round-trips is accepted.
function decodeBase64(text: string): Uint8Array {
  const bytes = Uint8Array.from(Buffer.from(text, 'base64'))
  if (encodeBase64(bytes) !== text) throw invalidPsbt('the PSBT is not canonical base64')
  return bytes
}
