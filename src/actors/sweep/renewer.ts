import { catchError, EMPTY, from, lastValueFrom, mergeMap, Subject } from 'rxjs'
import { onOneChain } from '../../authorities/ask-index.ts'
import { readyStatus } from '../../authorities/ask-node.ts'
import { digestOfHoldings } from '../../domain/assets/holdings.ts'
import { parseOutpoint } from '../../domain/chain/outpoint.ts'
import type { AssetIndex, OutputContents } from '../../ports/authorities/asset-index.ts'
import {
  AuthorityUnavailableError,
  IndexUnavailableError,
  NodeUnavailableError,
} from '../../ports/authorities/authority-errors.ts'
import type { FullNode, OutputAnswer } from '../../ports/authorities/full-node.ts'
import type { EventLog } from '../../ports/log/event-log.ts'
import { backoffMs } from '../../runtime/backoff.ts'
import type { Clock } from '../../runtime/clock.ts'
import { LOG_SCHEMA, type RenewalRecord, TOPICS } from '../../schemas/log.ts'
import type { BlockHash, BlockRef, OrderId, Outpoint } from '../../schemas/scalars.ts'
import type { LiveOrder, RenewalQuestion } from './renewal-pass.ts'

/** Questions in progress at once: they leave half of the connections to others. */
const AT_ONCE = 4
/** Most orders of one answer that must be verified one by one: the rest are asked about again. */
export const MAX_DOUBTED = 100
/** If the tip moves during a question, it is asked again, this many times at most. */
const MOVES = 5
const RETRY = { firstMs: 250, lastMs: 5_000 }

export interface RenewerOptions {
  node: Pick<FullNode, 'chain' | 'outputs' | 'blockHash' | 'blockHashes'>
  /** Null: not configured. */
  index: Pick<AssetIndex, 'status' | 'contents'> | null
  log: Pick<EventLog, 'append'>
  clock: Clock
  /** A defect in asking, or a log that refuses the record: the question is retried. */
  onFault(error: unknown): void
}

export interface Renewer {
  renew(question: RenewalQuestion): void
  /** Orders of the questions waiting or being asked. */
  readonly size: number
  /** Stops asking; a partition's next owner asks its question again. */
  close(): Promise<void>
}

/**
 * Asks node and index about many LIVE orders at once, and appends to their partition which of them
 * may not be as they were. While an authority gives no answer, the question waits for it.
 */
export function openRenewer(options: RenewerOptions): Renewer {
  const { log, clock, onFault } = options
  const stop = new AbortController()
  const questions = new Subject<RenewalQuestion>()
  let size = 0

  const answer = async (question: RenewalQuestion): Promise<void> => {
    const { partition, orders, after, begunAt } = question
    const { tip, doubted } = await askMany(options, orders)
    if (stop.signal.aborted) return
    const most = doubted.slice(0, MAX_DOUBTED)
    const isCut = most.length < doubted.length
    const value: RenewalRecord = {
      schema: LOG_SCHEMA,
      kind: 'renewal',
      after,
      upTo: isCut ? (most.at(-1) ?? question.upTo) : question.upTo,
      begunAt,
      tip: { height: tip.height, hash: tip.hash },
      doubted: most,
      at: new Date(clock.now()).toISOString(),
    }
    await log.append([{ topic: TOPICS.inbox, partition, key: '', value }])
  }

  const untilAnswered = async (question: RenewalQuestion): Promise<void> => {
    for (let failures = 0; !stop.signal.aborted; failures += 1) {
      try {
        return await answer(question)
      } catch (error) {
        if (!(error instanceof AuthorityUnavailableError) && !stop.signal.aborted) onFault(error)
        await clock.sleep(backoffMs(failures, RETRY), stop.signal)
      }
    }
  }

  const ended = lastValueFrom(
    questions.pipe(
      mergeMap(
        (question) =>
          from(
            untilAnswered(question).finally(() => {
              size -= question.orders.length
            }),
          ).pipe(catchError(() => EMPTY)),
        AT_ONCE,
      ),
    ),
    { defaultValue: undefined },
  )
  return {
    renew: (question) => {
      size += question.orders.length
      questions.next(question)
    },
    get size() {
      return size
    },
    close: async () => {
      stop.abort()
      questions.complete()
      await ended
    },
  }
}

type RenewerAuthorities = Pick<RenewerOptions, 'node' | 'index'>

/** Asks everything at one tip of the node, with the index on its chain before and after. */
async function askMany(
  { node, index }: RenewerAuthorities,
  orders: readonly LiveOrder[],
): Promise<{ tip: BlockRef; doubted: OrderId[] }> {
  const outpoints = orders.map(({ outpoint }) => parseOutpoint(outpoint))
  for (let move = 0; move < MOVES; move += 1) {
    const { tip } = await readyStatus(node)
    const [outputs, contents] = await Promise.all([
      orders.length > 0 ? node.outputs(outpoints) : [],
      index && orders.length > 0 ? askContents(node, index, outpoints) : null,
    ])
    const heights = outputs.map((output) => heightOf(output, tip))
    const hashes = await hashesAt(node, heights)
    const after = await readyStatus(node)
    if (after.tip.hash !== tip.hash) continue
    const doubted = orders.filter(({ block, holds }, at) => {
      const height = heights[at]
      const isThere = height != null && block?.height === height
      if (!isThere || hashes.get(height) !== block?.hash) return true
      if (!contents) return holds !== null
      if (height > contents.height) throw notRead(contents.height, height)
      return !isHeld(holds, contents.outputs[at])
    })
    return { tip, doubted: doubted.map(({ id }) => id) }
  }
  throw new NodeUnavailableError(
    'node_unavailable',
    `the tip moved ${MOVES} times while it was asked`,
  )
}

/** What outputs hold, from an index that has read up to this height. */
interface IndexContents {
  height: number
  outputs: readonly (OutputContents | null)[]
}

async function askContents(
  node: RenewerOptions['node'],
  index: NonNullable<RenewerOptions['index']>,
  outpoints: readonly Outpoint[],
): Promise<IndexContents> {
  const said = await onOneChain(node, index, () => index.contents(outpoints))
  if ('reason' in said)
    throw new IndexUnavailableError(said.reason, 'it is not on the chain of the node')
  return { height: said.at.height, outputs: said.answer }
}

/**
 * An index that is being rebuilt does not have the younger blocks yet: that is no reason to doubt
 * an order, so the question waits until the index has read them.
 */
const notRead = (read: number, wanted: number): IndexUnavailableError =>
  new IndexUnavailableError(
    'asset_index_behind',
    `it has read up to block ${read}, and an output is in block ${wanted}`,
  )

/** The height of the block of an output that is unspent in it; null for any other. */
function heightOf(output: OutputAnswer, tip: BlockRef): number | null {
  if (output.status !== 'unspent' || output.bestBlock !== tip.hash) return null
  return output.confirmations > 0 ? tip.height - output.confirmations + 1 : null
}

async function hashesAt(
  node: RenewerOptions['node'],
  heights: readonly (number | null)[],
): Promise<ReadonlyMap<number, BlockHash | null>> {
  const wanted = [...new Set(heights)].filter((height) => height !== null)
  const hashes = wanted.length > 0 ? await node.blockHashes(wanted) : []
  return new Map(wanted.map((height, at) => [height, hashes[at] ?? null]))
}

const isHeld = (holds: string | null, now: OutputContents | null | undefined): boolean =>
  now?.indexed === true && !now.spent && digestOfHoldings(now) === holds
