import type { EventLog } from '../../ports/log/event-log.ts'
import type { History, StoredRows as StoredChange } from '../../ports/views/history.ts'
import { changesOf } from '../../projections/read-lifecycle.ts'
import { openHistoryToAsk } from '../../roles/open/open-history.ts'
import type { Config } from '../../schemas/config/config.ts'
import { TOPICS } from '../../schemas/log.ts'
import { inboxPlaceText } from '../../streams/records/place.ts'
import { partitionsOf, withExistingLog } from './open-existing.ts'
import { type Position, requirePartition } from './place.ts'
import type { OnProgress } from './progress.ts'

export interface HistoryReplay {
  /** Changes from the position onwards, and of how many orders. */
  changes: number
  orders: number
  /** False: a dry run. */
  written: boolean
  /** Rows in the log that the history lacks, and of how many orders. */
  lacking: number
  lackingOrders: number
  /** Orders with more rows, or later ones, in the history than in the log. */
  foreign: string[]
  /** False: the signal interrupted it. */
  whole: boolean
}

/** The same batch size as the projector's. */
const BATCH_ROWS = 1_000

/**
 * Rewrites the rows of the history from a position of the lifecycle, then compares the whole
 * history with the log. Rows already there count once, so that nothing is lost or doubled, and a
 * projector may run meanwhile. `dryRun` compares and writes nothing.
 */
export const replayHistory = (
  config: Config,
  { from, dryRun }: { from: Position; dryRun: boolean },
  onProgress: OnProgress,
  signal: AbortSignal,
): Promise<HistoryReplay> =>
  withExistingLog(config, 'replay history', async ({ context, log }) => {
    if (from.at === 'place') requirePartition(from.place.partition, log.partitions)
    const history = await openHistoryToAsk(context, dryRun ? 'read' : 'write')
    await history.probe()
    const orders = new Map<string, Rows>()
    const chosen = { changes: 0, orders: new Set<string>() }
    let rows: StoredChange[] = []
    const write = async () => {
      if (!dryRun && rows.length > 0) await history.record(rows)
      rows = []
    }
    const all = await endOf(log)
    const read = new Map<number, number>()
    let done = 0
    for (const partition of partitionsOf(log)) {
      for await (const batch of log.stored(TOPICS.lifecycle, partition, 0)) {
        if (signal.aborted) break
        const last = batch.at(-1)
        if (last) read.set(partition, last.offset + 1)
        for (const record of batch.flatMap(changesOf)) {
          count(orders, record)
          if (!isChosen(from, record)) continue
          chosen.changes += 1
          chosen.orders.add(record.change.orderId)
          rows.push(record)
        }
        if (rows.length >= BATCH_ROWS) await write()
        done += batch.length
        onProgress({ step: dryRun ? 'read' : 'write', done, all })
      }
    }
    await write()
    const whole = !signal.aborted
    const compared = whole
      ? await compareRows(orders, history, () => since(log, read))
      : NOTHING_COMPARED
    return {
      changes: chosen.changes,
      orders: chosen.orders.size,
      written: !dryRun,
      ...compared,
      whole,
    }
  })

interface Rows {
  rows: number
  maxSeq: number
}

const NOTHING_COMPARED = { lacking: 0, lackingOrders: 0, foreign: [] }

function isChosen(from: Position, { partition, offset, change }: StoredChange): boolean {
  switch (from.at) {
    case 'beginning':
      return true
    case 'place':
      return partition === from.place.partition && offset >= from.place.offset
    case 'time':
      return change.observedAt >= from.time
  }
}

function count(orders: Map<string, Rows>, { change: { orderId, seq } }: StoredChange): void {
  const before = orders.get(orderId)
  orders.set(orderId, { rows: (before?.rows ?? 0) + 1, maxSeq: seq })
}

/** The rows of what was written after each partition was read. */
async function since(log: EventLog, read: ReadonlyMap<number, number>): Promise<Map<string, Rows>> {
  const orders = new Map<string, Rows>()
  for (const partition of partitionsOf(log))
    for await (const batch of log.stored(TOPICS.lifecycle, partition, read.get(partition) ?? 0))
      for (const record of batch.flatMap(changesOf)) count(orders, record)
  return orders
}

/** The history beside what was read of the log, and, where it has more, of what the log had later. */
export async function compareRows(
  orders: Map<string, Rows>,
  history: Pick<History, 'summary'>,
  readSince: () => Promise<Map<string, Rows>>,
) {
  const more = new Map<string, { has: Rows; logged: Rows | undefined }>()
  let lacking = 0
  let lackingOrders = 0
  for await (const { orderId, rows, maxSeq } of history.summary()) {
    const logged = orders.get(orderId)
    orders.delete(orderId)
    if (!logged || rows > logged.rows || maxSeq > logged.maxSeq)
      more.set(orderId, { has: { rows, maxSeq }, logged })
    else if (rows < logged.rows) {
      lacking += logged.rows - rows
      lackingOrders += 1
    }
  }
  // The orders left over have no rows in the history.
  for (const { rows } of orders.values()) lacking += rows
  // A projector may run meanwhile: what it wrote is in the log by now.
  const later = more.size > 0 ? await readSince() : new Map<string, Rows>()
  const foreign = [...more].flatMap(([orderId, { has, logged }]) => {
    const written = later.get(orderId)
    const rows = (logged?.rows ?? 0) + (written?.rows ?? 0)
    const maxSeq = Math.max(logged?.maxSeq ?? 0, written?.maxSeq ?? 0)
    return has.rows > rows || has.maxSeq > maxSeq ? [orderId] : []
  })
  return { lacking, lackingOrders: lackingOrders + orders.size, foreign }
}

async function endOf(log: EventLog): Promise<number> {
  const ends = partitionsOf(log).map((partition) => log.end(TOPICS.lifecycle, partition))
  return (await Promise.all(ends)).reduce((sum, end) => sum + end, 0)
}

const SHOWN_ORDERS = 20

const fromText = (from: Position): string =>
  from.at === 'beginning'
    ? 'the beginning'
    : from.at === 'place'
      ? `${TOPICS.lifecycle} ${inboxPlaceText(from.place)}`
      : from.time

/** What was done, and the result of the comparison. */
export function historyLines(from: Position, replay: HistoryReplay): string[] {
  const { changes, orders, written, lacking, lackingOrders, foreign, whole } = replay
  const did = written ? 'rewritten' : 'would be rewritten'
  const read = `from ${fromText(from)}: ${changes} changes of ${orders} orders ${did}`
  if (!whole) return [`${read}, then interrupted: run it again`]
  const verdict =
    lacking === 0
      ? 'the history has every change of the log'
      : `the history is missing ${lacking} changes of ${lackingOrders} orders`
  return [
    read,
    foreign.length === 0
      ? verdict
      : `${verdict}, and has rows that are not in the log, of ${foreign.length} orders:`,
    ...foreign.slice(0, SHOWN_ORDERS).map((id) => `  ${id}`),
  ]
}
