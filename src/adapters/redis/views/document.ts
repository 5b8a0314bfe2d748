import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { ChainableCommander } from 'ioredis'
import { answerOf, type StoredAnswer } from '../../../domain/order/stored-answer.ts'
import { packRow } from '../../../query-index/packed-row.ts'
import { rowOf } from '../../../query-index/row.ts'
import type { OrderSummary } from '../../../schemas/order.ts'
import { OrderRecord } from '../../../schemas/order-record.ts'
import type { AnswerDocument } from '../../views/cached-answers.ts'
import { COLD_DICTIONARY } from './cold-dictionary.ts'
import type { Generation, Keyspace } from './keyspace.ts'

/** An order as it is stored, with the partition whose log it comes from. */
export interface Document {
  partition: number
  order: OrderRecord
}

/** Documents per command. */
export const DOCUMENT_STEP = 100

/** A document begins with `seq partition`; what `documentOf` returns follows. */
const HEADER = /^\d+ (\d+) (\S+) ([\d,]+) /
/** Most bytes of a header. */
const HEADER_BYTES = 256
const COLD = { dictionary: COLD_DICTIONARY } as const
/**
 * Most of the cold part is hashes and signatures: a better search for repetitions saves a hundredth of
 * the bytes, and takes half as long again. A window of 8 KiB holds the dictionary and the whole of nearly every order.
 */
const COMPRESSION = { ...COLD, level: 3, windowBits: 13, memLevel: 6, chunkSize: 4_096 } as const
const EXPANSION = { ...COLD, chunkSize: 4_096 } as const

/** Fields that are equal in an answer and its order. */
const ANSWERED = [
  'id',
  'network',
  'assets',
  'sources',
  'state',
  'sellerScriptHex',
  'protocolId',
  'token',
  'side',
  'quotedPriceSats',
  'withdrawal',
  'createdAt',
  'updatedAt',
] as const satisfies readonly (keyof OrderRecord & keyof OrderSummary)[]

/**
 * An order as bytes: the digest of its answer, the lengths of the following parts, comma separated,
 * the facets that the answer depends on, the pieces of the answer, and, compressed, all of the
 * order that is not in the answer. Each field is stored once: a reader of answers parses a few
 * hundred bytes, a reader of orders joins the parts.
 */
export function documentOf(order: OrderRecord): Buffer {
  const { judged, pieces, digest } = answerOf(order)
  const warm = [JSON.stringify(judged), ...pieces]
  const lengths = warm.map((text) => Buffer.byteLength(text)).join(',')
  const cold = deflateRawSync(JSON.stringify(restOf(order)), COMPRESSION)
  return Buffer.concat([Buffer.from(`${digest} ${lengths} ${warm.join('')}`), cold])
}

/** What is stored of an order: its document, after `seq partition`, and its row. */
export interface StoredBytes {
  document: Buffer
  row: Buffer
}

export const storedOf = (partition: number, order: OrderRecord): StoredBytes => ({
  document: Buffer.concat([Buffer.from(`${order.seq} ${partition} `), documentOf(order)]),
  row: packRow(rowOf(order, partition)),
})

/** The version of a stored document. */
export const seqOf = (bytes: Buffer): number =>
  Number.parseInt(bytes.toString('latin1', 0, bytes.indexOf(SPACE)), 10)

const SPACE = 0x20

/** The order of a stored document. */
export function readDocument(bytes: Buffer | null): Document | null {
  const read = cut(bytes)
  if (!read) return null
  const { partition, pieces, cold } = read
  const rest = inflateRawSync(cold, EXPANSION).toString()
  return { partition, order: joined(pieces, JSON.parse(rest) as RestOfOrder) }
}

/** The answer of a stored document. */
export function readAnswer(bytes: Buffer | null): AnswerDocument | null {
  const read = cut(bytes)
  if (!read) return null
  const { partition, digest, judged, pieces } = read
  return {
    partition,
    answer: { digest, judged: JSON.parse(judged) as StoredAnswer['judged'], pieces },
  }
}

function cut(bytes: Buffer | null) {
  const header = bytes === null ? null : HEADER.exec(bytes.toString('latin1', 0, HEADER_BYTES))
  if (bytes === null || !header) return null
  const [whole, partition, digest = '', lengths = ''] = header
  let at = whole.length
  const [judged = '', ...pieces] = lengths.split(',').map((length) => {
    const start = at
    at += Number(length)
    return bytes.toString('utf8', start, at)
  })
  return { partition: Number(partition), digest, judged, pieces, cold: bytes.subarray(at) }
}

type RestOfOrder = Omit<OrderRecord, (typeof ANSWERED)[number] | 'kept'> & {
  kept: Omit<OrderRecord['kept'], 'inspection'>
}

/**
 * The fields of an order that no answer has, sorted by name: the same order has the same text,
 * however it was folded.
 */
const UNANSWERED = Object.keys(OrderRecord.shape)
  .filter((name) => !(ANSWERED as readonly string[]).includes(name))
  .sort() as (keyof OrderRecord)[]

/** The parts of an order that its answer lacks: all of a hidden one, whose text is withheld. */
function restOf(order: OrderRecord): RestOfOrder | OrderRecord {
  if (order.hidden) return order
  const { inspection: _, ...kept } = order.kept
  const rest: Record<string, unknown> = {}
  for (const name of UNANSWERED)
    if (name in order) rest[name] = name === 'kept' ? kept : order[name]
  return rest as unknown as RestOfOrder
}

function joined(pieces: readonly string[], rest: RestOfOrder | OrderRecord): OrderRecord {
  if ('id' in rest) return rest
  const [start, middle, ...last] = pieces
  const text = `${start}""${middle}""${last.join('0')}`
  const summary = JSON.parse(text) as OrderSummary
  const answered = ANSWERED.flatMap((key) => (key in summary ? [[key, summary[key]]] : []))
  // In the order of the schema.
  const { artifact, ...others } = rest.kept
  const kept = { artifact, inspection: summary.inspection, ...others }
  return { ...rest, ...Object.fromEntries(answered), kept } as OrderRecord
}

/** Requests documents; the replies are lists of their bytes. */
export function askDocuments(
  pipeline: ChainableCommander,
  prefix: string,
  ids: readonly string[],
): void {
  for (let at = 0; at < ids.length; at += DOCUMENT_STEP) {
    pipeline.hmgetBuffer(`${prefix}docs`, ...ids.slice(at, at + DOCUMENT_STEP))
  }
}

/** The orders of a generation; null if the generation was replaced meanwhile. */
export async function readDocuments(
  keyspace: Keyspace,
  generation: Generation,
  ids: readonly string[],
): Promise<(Document | null)[] | null> {
  const replies = await keyspace.readOf(generation, (pipeline, prefix) =>
    askDocuments(pipeline, prefix, ids),
  )
  return replies ? (replies as (Buffer | null)[][]).flat().map(readDocument) : null
}
