const ARMOR = '-----BEGIN BITCOIN SIGNED MESSAGE-----'
const HEX = /^(?:[0-9a-f]{2}){32,}$/i
const PSBT_MAGIC = '70736274ff'
/** Recoverable ECDSA: a header byte, and r and s (BIP-137). */
const COMPACT_BYTES = 65
const FIRST_HEADER = 27
const LAST_HEADER = 42
const SCHNORR_BYTES = 64
/** A DER sequence of two integers, with or without the sighash byte. */
const DER = /^30(4[0-8])02(1[0-9a-f]|2[01])/

/**
 * What a text is that is no proof of BIP-322, and what is needed instead, in words for the person
 * who pasted it; null: it looks like none of the usual mistakes.
 */
export function misreadProof(text: string): string | null {
  if (text.includes(ARMOR)) {
    return 'this is a signed message with its frame of dashes; paste the signature alone, in BIP-322'
  }
  if (/\s/.test(text)) return null
  const isHex = HEX.test(text)
  const bytes = Buffer.from(text, isHex ? 'hex' : 'base64')
  const form = formOf(bytes)
  if (form !== null) return form
  return isHex ? 'this looks like hexadecimal; here base64 is needed' : null
}

function formOf(bytes: Uint8Array): string | null {
  const hex = Buffer.from(bytes).toString('hex')
  const [header = 0] = bytes
  if (bytes.length === COMPACT_BYTES && header >= FIRST_HEADER && header <= LAST_HEADER) {
    return (
      'this looks like a signature of BIP-137 (ECDSA, the old style); here BIP-322 is needed: choose ' +
      'BIP-322 in the wallet'
    )
  }
  if (hex.startsWith(PSBT_MAGIC)) {
    return 'this is a PSBT; here the signature of the message is needed, by BIP-322'
  }
  const isBare = bytes.length === SCHNORR_BYTES || bytes.length === COMPACT_BYTES || DER.test(hex)
  return isBare
    ? 'this looks like a bare signature; here BIP-322 is needed, which holds the signature in a witness'
    : null
}
