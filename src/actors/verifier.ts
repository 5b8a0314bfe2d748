import { coalesceCalls } from '../authorities/coalesce-calls.ts'
import { type Authorities, gatherEvidence, unasked } from '../authorities/gather-evidence.ts'
import { partitionOf } from '../domain/order/partition.ts'
import type { EventLog } from '../ports/log/event-log.ts'
import { backoffMs } from '../runtime/backoff.ts'
import { BusyError, LANES, type Lane, type LanesOptions, openLanes } from '../runtime/lanes.ts'
import type { Evidence } from '../schemas/evidence.ts'
import { type EvidenceRecord, LOG_SCHEMA, TOPICS } from '../schemas/log.ts'
import type { Question } from './events/question.ts'

const RETRY = { firstMs: 100, lastMs: 5_000 }
/** Questions that may wait, by lane: each holds an artifact; one without room is asked again. */
const WAITING = [16_384, 512, 512] as const

export interface VerifierOptions {
  authorities: Pick<Authorities, 'signatures' | 'clock'>
  /** Node and index for this lane, where they have lanes. */
  inLane(lane: Lane): Pick<Authorities, 'node' | 'index'>
  log: Pick<EventLog, 'append' | 'partitions'>
  concurrency: number
  /** A defect in asking, or a log that refuses the record: the question is retried. */
  onFault(error: unknown, question: Question): void
}

export interface Verifier {
  ask(question: Question): void
  /** Questions waiting or being asked. */
  readonly size: number
  /** Stops asking; the partition's next owner asks unanswered questions again. */
  close(): Promise<void>
}

/**
 * The bounded worker pool outside the steps: asks the authorities and writes their answers into the
 * order's own partition, so that a slow index stalls no partition and a replay needs no RPC. A
 * question that fails gives up its slot and is asked again later.
 */
export function openVerifier({
  authorities,
  inLane,
  log,
  concurrency,
  onFault,
}: VerifierOptions): Verifier {
  const lanes = openLanes({ rules: rulesOf(concurrency) })
  const stop = new AbortController()
  const { clock } = authorities
  const under = new Set<Promise<void>>()
  const resting = new Set<Promise<void>>()
  const shared = Object.values(LANES).map((lane) =>
    coalesceCalls({ ...authorities, ...inLane(lane) }),
  )

  const answer = async (question: Question): Promise<void> => {
    if (stop.signal.aborted) return
    const evidence = await gatherEvidence(shared[question.lane] as Authorities, question)
    // A question cut off by shutdown has no answer: the authority was not unavailable.
    if (!stop.signal.aborted) await write(question, evidence)
  }

  const write = async (question: Question, evidence: Evidence): Promise<void> => {
    const value: EvidenceRecord = {
      schema: LOG_SCHEMA,
      kind: 'evidence',
      orderId: question.orderId,
      outpoint: question.outpoint,
      attempt: question.attempt,
      evidence,
      at: new Date(clock.now()).toISOString(),
    }
    const partition = partitionOf(question.outpoint, log.partitions)
    await log.append([{ topic: TOPICS.inbox, partition, key: question.outpoint, value }])
  }

  const askInLane = async (question: Question): Promise<void> => {
    try {
      await lanes.run(question.lane, () => answer(question))
    } catch (error) {
      if (!(error instanceof BusyError)) throw error
      await write(question, noRoom(question))
    }
  }

  /** The order waits as if the node were unavailable, and is asked about again when due. */
  const noRoom = (question: Question): Evidence => {
    const { begunAt, mempoolSequence, lane } = question
    const at = new Date(clock.now()).toISOString()
    return {
      begunAt,
      mempoolSequence,
      askedAt: at,
      answeredAt: at,
      node: { status: 'unavailable', reason: 'node_unavailable' },
      index: unasked(inLane(lane).index),
    }
  }

  const put = (question: Question, failures: number): void => {
    if (stop.signal.aborted) return
    const attempt = async () => {
      try {
        await askInLane(question)
      } catch (error) {
        if (stop.signal.aborted) return
        onFault(error, question)
        const rest = clock.sleep(backoffMs(failures, RETRY), stop.signal).then(() => {
          resting.delete(rest)
          put(question, failures + 1)
        })
        resting.add(rest)
      }
    }
    const asking = attempt().finally(() => under.delete(asking))
    under.add(asking)
  }

  return {
    ask: (question) => put(question, 0),
    get size() {
      return under.size + resting.size
    },
    close: async () => {
      stop.abort()
      await Promise.all([...under, ...resting])
    },
  }
}

/** Some slots are always reserved for the first lane, and some for the second. */
const rulesOf = (concurrency: number): LanesOptions['rules'] => [
  { atOnce: concurrency, waiting: WAITING[LANES.first] },
  { atOnce: Math.max(1, Math.ceil((concurrency * 3) / 4)), waiting: WAITING[LANES.judgement] },
  { atOnce: Math.max(1, Math.ceil(concurrency / 4)), waiting: WAITING[LANES.later] },
]
