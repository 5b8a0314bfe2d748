import { fromEvent, lastValueFrom, merge, type Observable, of, takeUntil } from 'rxjs'
import type { FoldFeed, FoldMoment, FoldRecord } from '../../ports/folds/fold-feed.ts'
import type { PublishedBlock, PublishedBlocks } from '../../ports/folds/published-blocks.ts'
import type { EventLog } from '../../ports/log/event-log.ts'
import type { Clock } from '../../runtime/clock.ts'
import { pace } from '../../runtime/time-slice.ts'
import type { BlockRef } from '../../schemas/scalars.ts'
import { conflateMap } from '../operators/conflate-map.ts'

export interface FoldPublishing<Mark extends BlockRef> {
  feed: FoldFeed<Mark>
  published: PublishedBlocks<Mark>
  log: Pick<EventLog, 'append'>
  clock: Clock
}

/** Records per append. */
const AT_ONCE = 256

type PublishStep<Mark extends BlockRef> =
  | { kind: 'take back'; marks: readonly Mark[] }
  | { kind: 'tell'; folded: readonly FoldRecord<Mark>[] }

/**
 * Keeps a topic equal to a fold, now and after each wake, until the signal aborts: the fold never
 * waits for it. Throws `StorageUnavailableError` if the log or the store refuses writes; started again,
 * it continues where it was.
 */
export async function keepPublished<Mark extends BlockRef>(
  parts: FoldPublishing<Mark>,
  wakes: Observable<unknown>,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return
  // A round in progress when the signal aborts is awaited, not abandoned.
  const rounds = merge(of('begin'), wakes).pipe(
    takeUntil(fromEvent(signal, 'abort')),
    conflateMap(
      () => true,
      () => publishFold(parts, signal),
    ),
  )
  await lastValueFrom(rounds, { defaultValue: undefined })
}

/**
 * Appends records until the last record of each key matches the fold: first retractions of stale
 * blocks, newest first, then new blocks. A block is stored as unsettled before the append, and as
 * settled (or forgotten) after it: a crash between the two, whatever the chain does meanwhile,
 * leaves nothing in the topic that would not be published or retracted again.
 */
export async function publishFold<Mark extends BlockRef>(
  parts: FoldPublishing<Mark>,
  signal: AbortSignal,
): Promise<void> {
  const { feed, published, clock } = parts
  const rest = pace(clock)
  while (!signal.aborted) {
    const step = feed.read((moment) => nextStep(published, moment))
    if (step === null) return
    if (step.kind === 'take back') await retract(parts, step.marks)
    else await publish(parts, step.folded, rest)
    await clock.turn()
  }
}

/** Null: the topic matches the fold. */
function nextStep<Mark extends BlockRef>(
  published: PublishedBlocks<Mark>,
  moment: FoldMoment<Mark>,
): PublishStep<Mark> | null {
  const gone: Mark[] = []
  let settledHeight = -1
  for (const { mark, isSettled } of published.newest()) {
    if (moment.hashAt(mark.height) !== mark.hash) {
      gone.push(mark)
      if (gone.length === AT_ONCE) break
    } else if (gone.length > 0) break
    else if (isSettled) {
      settledHeight = mark.height
      break
    }
  }
  if (gone.length > 0) return { kind: 'take back', marks: gone }
  const folded = moment.above(settledHeight, AT_ONCE)
  return folded.length > 0 ? { kind: 'tell', folded } : null
}

async function retract<Mark extends BlockRef>(
  { feed, published, log }: FoldPublishing<Mark>,
  marks: readonly Mark[],
): Promise<void> {
  await published.put(marks.map(asSettled(false)))
  await log.append(marks.map((mark) => recordOf(feed, mark, feed.retractionOf(mark))))
  await published.forget(marks)
}

async function publish<Mark extends BlockRef>(
  { feed, published, log }: FoldPublishing<Mark>,
  folded: readonly FoldRecord<Mark>[],
  rest: () => Promise<void>,
): Promise<void> {
  const records = []
  for (const { mark, record } of folded) {
    await rest()
    records.push(recordOf(feed, mark, record()))
  }
  const marks = folded.map(({ mark }) => mark)
  await published.put(marks.map(asSettled(false)))
  await log.append(records)
  await published.put(marks.map(asSettled(true)))
}

const recordOf = <Mark extends BlockRef>(
  { topic, keyOf }: FoldFeed<Mark>,
  mark: Mark,
  value: unknown,
) => ({ topic, partition: 0, key: keyOf(mark), value })

const asSettled =
  (isSettled: boolean) =>
  <Mark extends BlockRef>(mark: Mark): PublishedBlock<Mark> => ({ mark, isSettled })
