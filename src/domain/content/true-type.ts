import { isUtf8 } from 'node:buffer'
import { essenceOf, mediaRuleOf } from './media-rules.ts'

/**
 * Are the bytes of the type that they claim? By the signatures of the WHATWG's MIME Sniffing
 * standard, and the first bytes of RIFF, ISO base media, FLAC and Matroska: a browser that decides
 * by itself then decides alike.
 */
export function isOfClaimedType(mediaType: string, body: Uint8Array): boolean {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const essence = essenceOf(mediaType)
  const test = TESTS.get(essence)
  if (test) return test(bytes)
  return mediaRuleOf(mediaType)?.kind === 'text' && isText(bytes)
}

type Test = (bytes: Buffer) => boolean

const begins =
  (...hex: string[]): Test =>
  (bytes) =>
    hex.some((one) => bytes.subarray(0, one.length / 2).toString('hex') === one)

const ascii = (bytes: Buffer, start: number, end: number): string =>
  bytes.toString('latin1', start, end)

const riff =
  (form: string): Test =>
  (bytes) =>
    ascii(bytes, 0, 4) === 'RIFF' && ascii(bytes, 8, 12) === form

/** ISO base media: the first box is `ftyp`, which lists brands of four characters. */
const isIsoMedia: Test = (bytes) => ascii(bytes, 4, 8) === 'ftyp'

const AVIF_BRANDS: ReadonlySet<string> = new Set(['avif', 'avis'])
const FIRST_BRAND = 8
const MAX_FTYP_BYTES = 256
const isAvif: Test = (bytes) => {
  if (!isIsoMedia(bytes)) return false
  const end = Math.min(bytes.readUInt32BE(0), bytes.length, MAX_FTYP_BYTES)
  for (let at = FIRST_BRAND; at + 4 <= end; at += 4)
    if (AVIF_BRANDS.has(ascii(bytes, at, at + 4))) return true
  return false
}

/** A tag (ID3), or a frame: eleven bits set, then a version and a layer that exist. */
const isMpegAudio: Test = (bytes) => {
  if (ascii(bytes, 0, 3) === 'ID3') return true
  const [first = 0, second = 0] = bytes
  const hasVersion = (second & 0x18) !== 0x08
  const hasLayer = (second & 0x06) !== 0
  return first === 0xff && (second & 0xe0) === 0xe0 && hasVersion && hasLayer
}

const isText: Test = (bytes) => isUtf8(bytes) && !bytes.includes(0)

/**
 * What may precede the root of an SVG: white space, declarations, comments, and a document type
 * without a subset of its own, whose entities could multiply.
 */
const isSvg: Test = (bytes) => {
  if (!isText(bytes)) return false
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '')
  const after = (end: string, at: number): number => {
    const found = text.indexOf(end, at)
    return found === -1 ? text.length : found + end.length
  }
  const blank = /\s*/y
  for (let at = 0; at < text.length; ) {
    blank.lastIndex = at
    blank.test(text)
    at = blank.lastIndex
    if (text.startsWith('<?', at)) at = after('?>', at)
    else if (text.startsWith('<!--', at)) at = after('-->', at)
    else if (/^<!doctype$/i.test(text.slice(at, at + 9))) {
      const end = after('>', at)
      if (text.slice(at, end).includes('[')) return false
      at = end
    } else return /^<svg[\s/>]/.test(text.slice(at, at + 5))
  }
  return false
}

const TESTS: ReadonlyMap<string, Test> = new Map([
  ['image/png', begins('89504e470d0a1a0a')],
  ['image/jpeg', begins('ffd8ff')],
  ['image/gif', begins('474946383761', '474946383961')],
  ['image/webp', riff('WEBP')],
  ['image/avif', isAvif],
  ['image/svg+xml', isSvg],
  ['audio/mpeg', isMpegAudio],
  ['audio/ogg', begins('4f676753')],
  ['audio/wav', riff('WAVE')],
  ['audio/x-wav', riff('WAVE')],
  ['audio/flac', begins('664c6143')],
  ['audio/x-flac', begins('664c6143')],
  ['video/mp4', isIsoMedia],
  ['video/webm', begins('1a45dfa3')],
])
