import {
  digestWith,
  emptyDigest,
  foundHash,
  type LogDigest,
  writtenHash,
} from '../../domain/heads/log-digest.ts'
import type { HeadSigner } from '../../domain/heads/sign-head.ts'
import type { EventLog, NewRecord, WorkerOutput } from '../../ports/log/event-log.ts'
import type { Clock } from '../../runtime/clock.ts'
import { LifecycleRecord, TOPICS } from '../../schemas/log.ts'
import { SignedHead } from '../../schemas/log-head.ts'

/** A head is signed at the first commit after this, if there is anything new. */
const EVERY_MS = 60_000
/** Records near the end of the topic: the last head is among them, or nearly always. */
const TAIL = 64
/** With more of the log since the last head, a new count begins: a takeover must not take long. */
const MAX_BEHIND = 100_000

export interface HeadsParts {
  partition: number
  log: Pick<EventLog, 'stored' | 'end'>
  signer: HeadSigner
  clock: Clock
}

/** What a commit makes of the heads of its partition. */
export interface NextHead {
  digest: LogDigest
  /** None while none is due. */
  records: readonly NewRecord[]
  /** When it was made, on the monotonic clock. */
  madeAt: number
}

/**
 * The running digest of a partition while this process owns it. It signs what it wrote itself, and what
 * its predecessors wrote since their last head.
 */
export class PartitionHeads {
  readonly #parts: HeadsParts
  #digest: LogDigest
  /** How many records the last head counts; null: there is none. */
  #signed: number | null
  #signedAt = Number.NEGATIVE_INFINITY

  /** Goes on from the last head, or begins at the end of the lifecycle. */
  static async resume(parts: HeadsParts): Promise<PartitionHeads> {
    const { log, partition } = parts
    const end = await log.end(TOPICS.lifecycle, partition)
    const last = await lastHead(parts)
    if (!last || end - last.offset > MAX_BEHIND)
      return new PartitionHeads(parts, emptyDigest(end), null)
    let digest: LogDigest = last
    for await (const batch of log.stored(TOPICS.lifecycle, partition, last.offset)) {
      for (const { value } of batch) digest = digestWith(digest, hashOf(value))
    }
    return new PartitionHeads(parts, digest, last.count)
  }

  private constructor(parts: HeadsParts, digest: LogDigest, signed: number | null) {
    this.#parts = parts
    this.#digest = digest
    this.#signed = signed
  }

  /**
   * After this output, which ends the lifecycle at an offset. A commit without snapshots has no head: a
   * backup ends with a commit that has some, and must not have the head of a later one.
   */
  next({ lifecycle, snapshots }: WorkerOutput, offset: number): NextHead {
    const { partition, signer, clock } = this.#parts
    let digest = this.#digest
    for (const record of lifecycle) digest = digestWith(digest, writtenHash(record))
    const madeAt = clock.monotonic()
    const isDue = madeAt - this.#signedAt >= EVERY_MS
    if (!isDue || snapshots.length === 0 || digest.count === this.#signed)
      return { digest, records: [], madeAt }
    const { from, count } = digest
    const at = new Date(clock.now()).toISOString()
    const value = signer.sign({ partition, from, offset, count, digest: digest.digest, at })
    return {
      digest,
      records: [{ topic: TOPICS.heads, partition, key: keyOf(value), value }],
      madeAt,
    }
  }

  committed({ digest, records, madeAt }: NextHead): void {
    this.#digest = digest
    if (records.length === 0) return
    this.#signed = digest.count
    this.#signedAt = madeAt
  }
}

/** What is no record does not stop the partition: the audit names it. */
function hashOf(value: unknown): string {
  const { data: record } = LifecycleRecord.safeParse(value)
  return record ? writtenHash(record) : foundHash(value)
}

/** The topic keeps the last record of a key: the last head of each hour. */
const keyOf = ({ partition, at }: SignedHead): string => `${partition} ${at.slice(0, 13)}`

/** The last one that this process trusts: one of an unknown key must not be continued. */
async function lastHead({ log, partition, signer }: HeadsParts): Promise<SignedHead | null> {
  const end = await log.end(TOPICS.heads, partition)
  let last: SignedHead | null = null
  for (const from of new Set([Math.max(0, end - TAIL), 0])) {
    for await (const batch of log.stored(TOPICS.heads, partition, from)) {
      for (const { value } of batch) {
        const head = SignedHead.safeParse(value).data
        if (head && head.partition === partition && signer.trusts(head)) last = head
      }
    }
    if (last) return last
  }
  return null
}
