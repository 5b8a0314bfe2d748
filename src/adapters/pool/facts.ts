import { promisify } from 'node:util'
import { deflateRaw, deflateRawSync, inflateRaw, inflateRawSync } from 'node:zlib'
import type { OrderState, Source } from '../../schemas/scalars.ts'
import type { UnprovedOrder } from '../../schemas/unproved.ts'

const deflate = promisify(deflateRaw)
const inflate = promisify(inflateRaw)
/** The fastest: the data is mostly hex of random bytes, which halves at any level. */
const LEVEL = 1
/** Up to this many bytes, packing takes less of the event loop than handing them to a thread. */
const PACKED_HERE = 16_384

/** What is known of an entry without its bytes: all that it is found and bounded by. */
export interface Facts {
  client: string
  outpoint: string
  /** Of the offered output. */
  txid: string
  importedAt: number
  lookAt: number | null
  /** As it is stored. */
  bytes: number
  /** Names of the lists that it is in. */
  lists: string[]
  createdAt: string
}

export function poolFactsOf(
  { order, client, importedAt, lookAt }: UnprovedOrder,
  bytes: number,
): Facts {
  const { outpoint, createdAt, state } = order
  const sources = [...new Set(order.sources.map(({ source }) => source))]
  const lists = [
    listName(state),
    ...sources.flatMap((source) => [listName(undefined, source), listName(state, source)]),
  ]
  const [txid = ''] = outpoint.split(':')
  return { client, outpoint, txid, importedAt, lookAt, bytes, lists, createdAt }
}

/** The list of a query's filters. */
export const listName = (state?: OrderState, source?: Source): string =>
  [state, source].filter((part) => part !== undefined).join(' ')

/** A list's sort key: the time an order was made, negated if the newest comes first. */
export const ageOf = (createdAt: string, newestFirst: boolean): number =>
  (newestFirst ? -1 : 1) * Date.parse(createdAt)

export async function pack(entry: UnprovedOrder): Promise<Buffer> {
  const text = JSON.stringify(entry)
  const options = { level: LEVEL }
  return text.length <= PACKED_HERE ? deflateRawSync(text, options) : deflate(text, options)
}

export async function unpack(bytes: Buffer): Promise<UnprovedOrder> {
  const text = bytes.length <= PACKED_HERE ? inflateRawSync(bytes) : await inflate(bytes)
  return JSON.parse(text.toString()) as UnprovedOrder
}
