import {
  defer,
  from,
  fromEvent,
  lastValueFrom,
  map,
  merge,
  type Observable,
  of,
  repeat,
  takeUntil,
} from 'rxjs'
import { NodeUnavailable } from '../ports/authority-errors.ts'
import type { NodeChange } from '../ports/full-node.ts'
import { askIndex, type FollowedIndex, type FollowedNode } from './ask-authority.ts'
import { Follower } from './follower.ts'
import { gather, type Signal } from './gather.ts'
import { inTurns } from './in-turns.ts'
import { INGEST_DEFAULTS, type IngestMetric, type IngestOptions } from './ingest-options.ts'
import { Journal, type JournalParts } from './journal.ts'
import { pause } from './pause.ts'

export interface IngestParts extends JournalParts {
  node: FollowedNode
  /** Null: none is configured. */
  index: FollowedIndex | null
  options?: Partial<IngestOptions>
  onMetric?: (metric: IngestMetric) => void
}

type Sources = Pick<IngestParts, 'node' | 'index' | 'clock'> & { options: IngestOptions }

/**
 * The one writer of what happens to outputs: node and index are followed, and each spend, output
 * and block is in the log before the watermark that covers it (design: Freshness by continuity).
 * Resolves when the signal aborts and the turn under way has ended; rejects when log or store
 * fail, and may then be started again with the same store: nothing is skipped. A node or an index
 * that is away never ends it: there is then no watermark, or none that covers.
 */
export async function ingest(parts: IngestParts, signal: AbortSignal): Promise<void> {
  const { node, clock, onMetric = () => {} } = parts
  const options = { ...INGEST_DEFAULTS, ...parts.options }
  const stop = new AbortController()
  const ended = AbortSignal.any([signal, stop.signal])
  const sources = { node, index: parts.index, clock, options }
  try {
    const journal = await Journal.open(parts)
    const follower = new Follower({ journal, node, clock, onMetric, signal: ended })
    await lastValueFrom(
      merge(nodeChanges(sources, ended), indexAnswers(sources), beats(sources)).pipe(
        takeUntil(aborted(ended)),
        inTurns(gather(options), (gathered) => from(follower.turn(gathered))),
      ),
      { defaultValue: null },
    )
  } catch (error) {
    if (!signal.aborted || error !== signal.reason) throw error
  } finally {
    stop.abort()
  }
}

const aborted = (signal: AbortSignal): Observable<unknown> =>
  defer(() => (signal.aborted ? of(null) : fromEvent(signal, 'abort')))

const beats = ({ clock, options }: Sources): Observable<Signal> =>
  of<Signal>({ from: 'clock' }).pipe(repeat({ delay: () => pause(clock, options.watermarkMs) }))

const indexAnswers = ({ index, clock, options }: Sources): Observable<Signal> =>
  defer(() => askIndex(index, clock, options.indexTimeoutMs)).pipe(
    map((answer): Signal => ({ from: 'index', answer })),
    repeat({ delay: () => pause(clock, options.indexPollMs) }),
  )

const nodeChanges = (sources: Sources, signal: AbortSignal): Observable<Signal> =>
  from(listen(sources, signal)).pipe(map((change): Signal => ({ from: 'node', change })))

/** Listens again whenever the node stops telling: what it did not tell meanwhile is a gap. */
async function* listen(
  { node, clock, options }: Sources,
  signal: AbortSignal,
): AsyncGenerator<NodeChange> {
  while (!signal.aborted) {
    try {
      yield* node.changes(signal)
    } catch (error) {
      if (!(error instanceof NodeUnavailable)) throw error
    }
    if (signal.aborted) return
    await clock.sleep(options.retryMs, signal)
    yield { kind: 'gap', detail: 'the node had stopped telling of changes' }
  }
}
