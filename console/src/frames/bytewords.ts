// BCR-2020-012, minimal: a byte is the first and the last letter of its word, a CRC-32 comes last.

const PAIRS =
  'aeadaoaxaaahamatayasbkbdbnbtbabsbebybgbwbbbzcmchcscfcycwcecackctcxclcpcndkdadsdidedtdrdndwdpdmdl' +
  'dyeheyeoeeecenemetesftfrfnfsfmfhfzfpfwfxfyfefgflfdgagegrgsgtglgwgdgygmgughgohfhghdhkhthphhhlhyhe' +
  'hnhsidiaieihiyioisinimjejzjnjtjljojsjpjkjykpkoktkskkknkgkekikblblalylflslrlplnltloldlelulklgmnmy' +
  'mhmemomumwmdmtmsmknlnyndnsntnnnenboyoeotoxonolospdptpkpypspmplpepfpaprqdqzrerprlrorhrdrkrfryrnrs' +
  'rtsesasrssskswstspsosgsbsfsntotktitttdtetytltbtstptatnuyuoutueurvtvyvovlvevwvavdvswlwdwmwpwewyws' +
  'wtwnwzwfwkykynylyaytzszoztzczezm'

const BYTE_OF = new Map(
  Array.from({ length: 256 }, (_, byte) => [PAIRS.slice(2 * byte, 2 * byte + 2), byte]),
)
const CHECKSUM_BYTES = 4

export function bytewordsOf(bytes: Uint8Array): string {
  const whole = Uint8Array.of(...bytes, ...bigEndian(crc32(bytes)))
  return Array.from(whole, (byte) => PAIRS.slice(2 * byte, 2 * byte + 2)).join('')
}

/** Null: not bytewords, or changed on the way. */
export function bytesOfWords(words: string): Uint8Array | null {
  const pairs = words.match(/[a-z]{2}/g) ?? []
  const bytes = pairs.map((pair) => BYTE_OF.get(pair))
  if (pairs.length * 2 !== words.length || pairs.length <= CHECKSUM_BYTES) return null
  if (!bytes.every((byte) => byte !== undefined)) return null
  const body = Uint8Array.from(bytes.slice(0, -CHECKSUM_BYTES))
  const checksum = bytes.slice(-CHECKSUM_BYTES)
  return bigEndian(crc32(body)).every((byte, at) => byte === checksum[at]) ? body : null
}

export const bigEndian = (value: number): number[] => [
  value >>> 24,
  (value >>> 16) & 0xff,
  (value >>> 8) & 0xff,
  value & 0xff,
]

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})

/** ISO-HDLC, as in zip. */
export function crc32(bytes: Uint8Array): number {
  let value = 0xffffffff
  for (const byte of bytes) value = (TABLE[(value ^ byte) & 0xff] ?? 0) ^ (value >>> 8)
  return (value ^ 0xffffffff) >>> 0
}
