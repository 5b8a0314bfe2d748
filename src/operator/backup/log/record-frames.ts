import { hash } from 'node:crypto'
import type { CopiedRecord } from '../../../adapters/kafka/copy/raw-record.ts'

/** The head of a partition without records. */
export const NO_HEAD = '0'.repeat(64)

/** Where the bytes that a head covers begin: all but the time, which a restore may have to change. */
const HEADED_FROM = 8
const NONE = -1

/**
 * A record as bytes: its time, its offset, key, value and headers. A length of -1 is null.
 */
export function frameOf({ offset, timestamp, key, value, headers }: CopiedRecord): Buffer {
  const entries = Object.entries(headers).flatMap(([name, values]) =>
    (Array.isArray(values) ? values : [values]).map(
      (one) => [Buffer.from(name), one === undefined ? null : Buffer.from(one)] as const,
    ),
  )
  const parts = [key, value, ...entries.flat()]
  const bytes = parts.reduce((sum, part) => sum + 4 + (part?.length ?? 0), 18)
  const frame = Buffer.allocUnsafe(bytes)
  let at = frame.writeBigInt64BE(BigInt(timestamp), 0)
  at = frame.writeBigInt64BE(BigInt(offset), at)
  at = frame.writeUInt16BE(entries.length, at)
  for (const part of parts) {
    at = frame.writeInt32BE(part?.length ?? NONE, at)
    if (part) at += part.copy(frame, at)
  }
  return frame
}

/** The hash over a partition's records up to this one. */
export const headAfter = (head: string, frame: Buffer): string =>
  hash('sha256', Buffer.concat([Buffer.from(head, 'hex'), frame.subarray(HEADED_FROM)]), 'hex')

/** Throws `RangeError` for bytes that are no frames. */
export function* framesIn(bytes: Buffer): Generator<{ record: CopiedRecord; frame: Buffer }> {
  let at = 0
  const part = (): Buffer | null => {
    const length = bytes.readInt32BE(at)
    at += 4
    if (length === NONE) return null
    if (at + length > bytes.length) throw new RangeError('a record is cut')
    at += length
    return bytes.subarray(at - length, at)
  }
  while (at < bytes.length) {
    const begin = at
    const timestamp = Number(bytes.readBigInt64BE(at))
    const offset = Number(bytes.readBigInt64BE(at + 8))
    const count = bytes.readUInt16BE(at + 16)
    at += 18
    const [key, value] = [part(), part()]
    const headers: CopiedRecord['headers'] = {}
    for (let n = 0; n < count; n += 1) {
      const name = String(part())
      const one = part() ?? undefined
      const known = headers[name]
      if (known === undefined || one === undefined) headers[name] = one
      else headers[name] = [...(Array.isArray(known) ? known : [known]), one]
    }
    yield { record: { offset, timestamp, key, value, headers }, frame: bytes.subarray(begin, at) }
  }
}
