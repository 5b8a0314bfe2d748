import { promisify } from 'node:util'
import { brotliDecompress, gunzip } from 'node:zlib'
import type { Unread } from '../../ports/authorities/content-source.ts'

/** The codings of inscriptions (tag 9) that are taken off; ord itself writes only `br`. */
const DECODERS = { br: promisify(brotliDecompress), gzip: promisify(gunzip) } as const

/** `Accept-Encoding` of these. */
export const KNOWN_CODINGS = Object.keys(DECODERS).join(', ')

const isKnown = (coding: string): coding is keyof typeof DECODERS => Object.hasOwn(DECODERS, coding)

/** Takes a coding off, on Node's threads; no more than `maxBytes` are ever decoded. */
export async function decoded(
  body: Uint8Array,
  coding: string,
  maxBytes: number,
): Promise<Uint8Array | Unread> {
  if (coding === '' || coding === 'identity') return body
  if (!isKnown(coding)) return 'undecodable'
  try {
    return await DECODERS[coding](body, { maxOutputLength: maxBytes })
  } catch (error) {
    const isLarger = error instanceof Error && 'code' in error && error.code === TOO_LARGE
    return isLarger ? 'too_large' : 'undecodable'
  }
}

const TOO_LARGE = 'ERR_BUFFER_TOO_LARGE'
