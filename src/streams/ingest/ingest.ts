import {
  defer,
  EMPTY,
  from,
  fromEvent,
  lastValueFrom,
  map,
  merge,
  type Observable,
  of,
  race,
  repeat,
  Subject,
  takeUntil,
} from 'rxjs'
import { NodeUnavailableError } from '../../ports/authorities/authority-errors.ts'
import type { NodeChange } from '../../ports/authorities/full-node.ts'
import type { BlockRef } from '../../schemas/scalars.ts'
import {
  type FollowedIndex,
  type FollowedNode,
  type IndexProbe,
  probeIndex,
} from '../ask-authority.ts'
import { conflateMap } from '../operators/conflate-map.ts'
import { pause } from '../operators/pause.ts'
import { Follower } from './follower.ts'
import { gather, hurries, type Signal } from './gather.ts'
import { type IndexSample, indexSample, type SampleParts } from './index-sample.ts'
import { INGEST_DEFAULTS, type IngestMetric, type IngestOptions } from './ingest-options.ts'
import { Journal, type JournalParts } from './journal.ts'

export interface IngestParts extends JournalParts {
  node: FollowedNode
  /** Null if none is configured. */
  index: FollowedIndex | null
  /** Holds the index's earlier answers; absent: another version counts as another index. */
  lifecycle?: SampleParts['log']
  options?: Partial<IngestOptions>
  onMetric?: (metric: IngestMetric) => void
}

type Sources = Pick<IngestParts, 'node' | 'index' | 'clock'> & { options: IngestOptions }

/**
 * The only writer of what happens to outputs: follows node and index, and appends each spend,
 * output and block to the log before the watermark that covers it
 * (docs/design/freshness.md#freshness-by-continuity). Resolves when the signal aborts and the
 * current round has ended; rejects when log or store fail, and may then be started again with the
 * same store: nothing is skipped. An unavailable node or index never ends it: there is then no
 * watermark, or none that covers.
 */
export async function ingest(parts: IngestParts, signal: AbortSignal): Promise<void> {
  const { node, clock, onMetric = () => {} } = parts
  const options = { ...INGEST_DEFAULTS, ...parts.options }
  const stop = new AbortController()
  const ended = AbortSignal.any([signal, stop.signal])
  const sources = { node, index: parts.index, clock, options }
  try {
    const journal = await Journal.open(parts)
    const moved = new Subject<void>()
    const follower = new Follower({
      journal,
      node,
      clock,
      sample: sampleOf(parts),
      quietMs: options.quietMs,
      restMsPerListed: options.restMsPerListed,
      onMetric,
      onMoved: () => moved.next(),
      signal: ended,
    })
    await lastValueFrom(
      merge(
        nodeChanges(sources, ended),
        indexAnswers(sources, (answer) => hasBlock(answer, journal.tip), moved),
        beats(sources),
      ).pipe(
        takeUntil(aborted(ended)),
        conflateMap(gather(options), (gathered) => from(follower.round(gathered)), {
          after: () => (options.gatherMs > 0 ? pause(clock, options.gatherMs) : EMPTY),
          hurries,
        }),
      ),
      { defaultValue: null },
    )
  } catch (error) {
    if (!signal.aborted || error !== signal.reason) throw error
  } finally {
    stop.abort()
  }
}

const sampleOf = ({ index, lifecycle, clock }: IngestParts): IndexSample =>
  index && lifecycle ? indexSample({ log: lifecycle, index, clock }) : async () => false

const aborted = (signal: AbortSignal): Observable<unknown> =>
  defer(() => (signal.aborted ? of(null) : fromEvent(signal, 'abort')))

const beats = ({ clock, options }: Sources): Observable<Signal> =>
  of<Signal>({ from: 'clock' }).pipe(repeat({ delay: () => pause(clock, options.watermarkMs) }))

/**
 * Polls the index slowly while it has the last block, at once on a new block, then often until it
 * has that block.
 */
function indexAnswers(
  { index, clock, options }: Sources,
  isLevel: (answer: IndexProbe) => boolean,
  moved: Observable<void>,
): Observable<Signal> {
  let pollMs = options.indexBehindMs
  return defer(() => probeIndex(index, clock, options.indexTimeoutMs)).pipe(
    map((answer): Signal => {
      pollMs = isLevel(answer) ? options.indexPollMs : options.indexBehindMs
      return { from: 'index', answer }
    }),
    repeat({ delay: () => race(pause(clock, pollMs), moved) }),
  )
}

const hasBlock = (answer: IndexProbe, tip: BlockRef | null): boolean =>
  answer.status === 'ready'
    ? answer.at.tip?.hash === tip?.hash
    : answer.reason === 'asset_index_unconfigured'

const nodeChanges = (sources: Sources, signal: AbortSignal): Observable<Signal> =>
  from(listen(sources, signal)).pipe(map((change): Signal => ({ from: 'node', change })))

/** Listens again whenever the node's changes end: those missed meanwhile are a gap. */
async function* listen(
  { node, clock, options }: Sources,
  signal: AbortSignal,
): AsyncGenerator<NodeChange> {
  while (!signal.aborted) {
    try {
      yield* node.changes(signal)
    } catch (error) {
      if (!(error instanceof NodeUnavailableError)) throw error
    }
    if (signal.aborted) return
    await clock.sleep(options.retryMs, signal)
    yield { kind: 'gap', detail: 'the stream of changes from the node had ended' }
  }
}
