import {
  createHash,
  createHmac,
  createSecretKey,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto'
import type { z } from 'zod'
import { MAX_CURSOR_LENGTH } from '../schemas/api/api.ts'
import { RefusalError } from './refusal.ts'

const VERSION = 1
const MAC_BYTES = 32
const QUERY_BYTES = 16
const HEADER_BYTES = 1 + MAC_BYTES + QUERY_BYTES

/** Where a page ended, as an opaque text that only this service can create. */
export interface CursorCodec {
  /** `query` is the canonical text of sort and filters: a cursor resumes no other query. */
  encode(query: string, position: unknown): string
  /** @throws RefusalError INVALID_CURSOR: a page is never restarted from its beginning instead. */
  decode<T>(query: string, cursor: string, position: z.ZodType<T>): T
  /** As `encode`, for a position that is bytes. */
  encodeBytes(query: string, position: Uint8Array): string
  /** As `decode`, for a position that is bytes, in a cursor of `maxLength` characters at most. */
  decodeBytes(query: string, cursor: string, maxLength: number): Buffer
}

/**
 * base64url(version ‖ HMAC-SHA-256 ‖ digest of the query ‖ position, as JSON or bytes). The first key signs;
 * every key verifies, so a key can be rotated without breaking cursors already issued.
 */
export function cursorCodec(secrets: readonly [Uint8Array, ...Uint8Array[]]): CursorCodec {
  const [signing, ...others] = secrets
  const key = createSecretKey(signing)
  const keys = [key, ...others.map((other) => createSecretKey(other))]
  return {
    encode: (query, position) => encodeBytes(query, Buffer.from(JSON.stringify(position))),
    decode: (query, cursor, position) =>
      position.parse(JSON.parse(decodeBytes(query, cursor, MAX_CURSOR_LENGTH).toString())),
    encodeBytes,
    decodeBytes,
  }

  function encodeBytes(query: string, position: Uint8Array): string {
    const body = Buffer.concat([digestOf(query), position])
    return Buffer.concat([Uint8Array.of(VERSION), macOf(key, body), body]).toString('base64url')
  }

  function decodeBytes(query: string, cursor: string, maxLength: number): Buffer {
    const bytes = cursor.length > maxLength ? null : strictBase64url(cursor)
    const mac = bytes?.subarray(1, 1 + MAC_BYTES)
    const body = bytes?.subarray(1 + MAC_BYTES)
    if (!mac || !body || bytes?.[0] !== VERSION || !keys.some((one) => isMac(one, body, mac))) {
      throw new RefusalError('INVALID_CURSOR', 'cursor: was not issued by this service')
    }
    if (!body.subarray(0, QUERY_BYTES).equals(digestOf(query))) {
      throw new RefusalError('INVALID_CURSOR', 'cursor: belongs to another sort or other filters')
    }
    return body.subarray(QUERY_BYTES)
  }
}

function strictBase64url(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64url')
  const canonical = bytes.length > HEADER_BYTES && bytes.toString('base64url') === text
  return canonical ? bytes : null
}

const digestOf = (query: string): Buffer =>
  createHash('sha256').update(query).digest().subarray(0, QUERY_BYTES)

const macOf = (key: KeyObject, body: Uint8Array): Buffer =>
  createHmac('sha256', key).update(Uint8Array.of(VERSION)).update(body).digest()

const isMac = (key: KeyObject, body: Uint8Array, mac: Uint8Array): boolean =>
  timingSafeEqual(macOf(key, body), mac)
