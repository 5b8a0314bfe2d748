import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import { parseOutpoint } from '../domain/chain/outpoint.ts'
import type { OrderState, OutpointText, Source, Txid } from '../schemas/scalars.ts'
import type { UnprovedOrder } from '../schemas/unproved.ts'

const deflate = promisify(deflateRaw)
const inflate = promisify(inflateRaw)
/** The fastest level: the data is mostly hex of random bytes, which any level halves. */
const LEVEL = 1

/** The fields of an entry besides its bytes: all that it is found and bounded by. */
export interface Facts {
  client: string
  outpoint: OutpointText
  /** The txid of the offered output. */
  txid: Txid
  importedAt: number
  lookAt: number | null
  /** As it is stored. */
  bytes: number
  /** Names of the lists that it is in. */
  lists: string[]
  createdAt: string
  /** The hash of its text; release 0.9.0 stored none, and what it stored is compared with nothing. */
  revision?: string
}

export function poolFactsOf(
  { order, client, importedAt, lookAt }: UnprovedOrder,
  { bytes: { length: bytes }, revision }: Packed,
): Facts {
  const { outpoint, createdAt, state } = order
  const sources = [...new Set(order.sources.map(({ source }) => source))]
  const lists = [listName(state), ...sources.map((source) => listName(state, source))]
  const { txid } = parseOutpoint(outpoint)
  return { client, outpoint, txid, importedAt, lookAt, bytes, lists, createdAt, revision }
}

/** The hash of an entry's text: equal as it was written and as it is read. */
export const revisionOf = (entry: UnprovedOrder): string => hashOf(JSON.stringify(entry))

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url')

/** The list of a query's filters. */
export const listName = (state: OrderState, source?: Source): string =>
  source === undefined ? state : `${state} ${source}`

/** A list's sort key: the time an order was made, negated if the newest comes first. */
export const ageOf = (createdAt: string, newestFirst: boolean): number =>
  (newestFirst ? -1 : 1) * Date.parse(createdAt)

/** An entry as it is stored, and its revision. */
export interface Packed {
  bytes: Buffer
  revision: string
}

export async function pack(entry: UnprovedOrder): Promise<Packed> {
  const text = JSON.stringify(entry)
  return { bytes: await deflate(text, { level: LEVEL }), revision: hashOf(text) }
}

export const unpack = async (bytes: Buffer): Promise<UnprovedOrder> =>
  JSON.parse((await inflate(bytes)).toString()) as UnprovedOrder
