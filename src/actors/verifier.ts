import PQueue from 'p-queue'
import { partitionOf } from '../domain/partition.ts'
import type { EventLog } from '../ports/event-log.ts'
import { type EvidenceRecord, LOG_SCHEMA, TOPICS } from '../schemas/log.ts'
import { type Authorities, gatherEvidence } from './gather-evidence.ts'
import type { Question } from './question.ts'
import { shareAnswers } from './share-answers.ts'

const FIRST_RETRY_MS = 100
const LAST_RETRY_MS = 5_000

export interface VerifierOptions {
  authorities: Authorities
  log: Pick<EventLog, 'append' | 'partitions'>
  concurrency: number
  /** A defect in asking, or a log that takes no record: it is tried again. */
  onFault(error: unknown, question: Question): void
}

export interface Verifier {
  ask(question: Question): void
  /** Questions that wait or are being asked. */
  readonly size: number
  /** Stops asking; what was not answered is asked again by the partition's next owner. */
  close(): Promise<void>
}

/**
 * The bounded pool outside the steps: asks the authorities and writes their answers into the
 * order's own partition, so that a slow index stalls no partition and a replay needs no RPC. A
 * question that fails gives its place to others and is put again later.
 */
export function openVerifier({
  authorities,
  log,
  concurrency,
  onFault,
}: VerifierOptions): Verifier {
  const queue = new PQueue({ concurrency })
  const stop = new AbortController()
  const { clock } = authorities
  const resting = new Set<Promise<void>>()
  const shared = shareAnswers(authorities)

  const answer = async (question: Question): Promise<void> => {
    const evidence = await gatherEvidence(shared, question)
    // An authority that was let go of at the end gave no answer: it was not away.
    if (stop.signal.aborted) return
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

  const put = (question: Question, retryMs: number): void => {
    if (stop.signal.aborted) return
    const attempt = async () => {
      try {
        await answer(question)
      } catch (error) {
        if (stop.signal.aborted) return
        onFault(error, question)
        const rest = clock.sleep(retryMs, stop.signal).then(() => {
          resting.delete(rest)
          put(question, Math.min(retryMs * 2, LAST_RETRY_MS))
        })
        resting.add(rest)
      }
    }
    void queue.add(attempt, { priority: question.isUrgent ? 1 : 0 })
  }

  return {
    ask: (question) => put(question, FIRST_RETRY_MS),
    get size() {
      return queue.size + queue.pending + resting.size
    },
    close: async () => {
      stop.abort()
      queue.clear()
      await Promise.all([queue.onIdle(), ...resting])
    },
  }
}
