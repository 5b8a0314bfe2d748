import type { OnPoint } from '../../ports/log/crash-points.ts'
import type { InboxWorker, Stored, WorkerOutput } from '../../ports/log/event-log.ts'
import { RecordTooLargeError } from '../../ports/log/storage-errors.ts'
import { backoffMs } from '../../runtime/backoff.ts'
import type { Clock } from '../../runtime/clock.ts'
import { orIdle } from '../../runtime/or-idle.ts'
import { type SnapshotRecord, TOO_LARGE } from '../../schemas/log.ts'
import { StepSize } from './step-size.ts'

/** `partition` is null when the clean-up of old records failed. */
export interface PartitionFailure {
  partition: number | null
  error: unknown
  retryInMs: number
}

export interface PartitionLoop {
  partition: number
  open(): Promise<InboxWorker>
  /** Records of the partition from its committed offset on. */
  batches(signal: AbortSignal): AsyncIterable<readonly Stored<unknown>[]>
  commit(output: WorkerOutput, nextOffset: number): Promise<void>
  clock: Clock
  onPoint: OnPoint
  onFailure(failure: PartitionFailure): void
}

const RETRY = { firstMs: 50, lastMs: 2_000 }
/** Longer than the time between watermarks, which commit the position while anything happens. */
const POSITION_OWED_MS = 3_000

/**
 * Consumes one partition until the signal aborts. After any failure the worker is dropped and
 * reopened from what was committed, so a batch is either wholly there or stepped again. The
 * position of steps without effect is committed with the next that has one, or after some seconds.
 * A step that the log refuses as too large is halved; a record refused on its own is set aside.
 */
export async function consumePartition(loop: PartitionLoop, signal: AbortSignal): Promise<void> {
  const size = new StepSize()
  let failures = 0
  while (!signal.aborted) {
    try {
      await consumeFromCommitted(loop, size, signal, () => {
        failures = 0
      })
    } catch (error) {
      const retryInMs = backoffMs(failures, RETRY)
      failures += 1
      if (error instanceof RecordTooLargeError) size.halve()
      loop.onFailure({ partition: loop.partition, error, retryInMs })
      await loop.clock.sleep(retryInMs, signal)
    }
  }
}

async function consumeFromCommitted(
  loop: PartitionLoop,
  size: StepSize,
  signal: AbortSignal,
  onProgress: () => void,
): Promise<void> {
  const { open, batches, clock, onPoint } = loop
  const worker = await open()
  const position = new OwedPosition(loop)
  try {
    onPoint('before consume')
    for await (const batch of orIdle(batches, clock, () => position.dueInMs(), signal)) {
      for (let rest = batch ?? []; rest.length > 0; ) {
        const records = size.firstOf(rest)
        if (signal.aborted) return
        onPoint('after consume')
        await clock.turn()
        onPoint('before compute')
        const output = await outputOf(worker, records, size)
        onPoint('after compute')
        const { taken = records.length } = output
        const next = records[taken]?.offset ?? lastOffset(records) + 1
        await position.reach(output, next)
        worker.committed()
        size.grow()
        rest = rest.slice(taken)
        onProgress()
        onPoint('before consume')
      }
      if (position.dueInMs() === 0) await position.commit()
    }
  } finally {
    await worker.close()
  }
}

/** Commits the output of steps, and the position of those without effect when it is due. */
class OwedPosition {
  readonly #loop: PartitionLoop
  #owed: { next: number; since: number; snapshots: readonly SnapshotRecord[] } | null = null

  constructor(loop: PartitionLoop) {
    this.#loop = loop
  }

  /** Null: nothing is owed. */
  dueInMs(): number | null {
    if (!this.#owed) return null
    const waited = this.#loop.clock.monotonic() - this.#owed.since
    return Math.max(0, POSITION_OWED_MS - waited)
  }

  async reach(output: WorkerOutput, next: number): Promise<void> {
    if (hasEffect(output)) {
      await this.#loop.commit(output, next)
      this.#owed = null
    } else {
      const since = this.#owed?.since ?? this.#loop.clock.monotonic()
      this.#owed = { next, since, snapshots: output.owed ?? [] }
    }
  }

  async commit(): Promise<void> {
    if (!this.#owed) return
    const { next, snapshots } = this.#owed
    await this.#loop.commit({ lifecycle: [], snapshots, dead: [] }, next)
    this.#owed = null
  }
}

const hasEffect = ({ lifecycle, snapshots, dead }: WorkerOutput): boolean =>
  lifecycle.length + snapshots.length + dead.length > 0

async function outputOf(
  worker: InboxWorker,
  records: readonly Stored<unknown>[],
  size: StepSize,
): Promise<WorkerOutput> {
  const [record] = records
  if (!record || !size.isRefused(record)) return await worker.step(records)
  const reason = `${TOO_LARGE}: no log accepts the output of this record`
  return (
    (await worker.setAside?.(record, reason)) ?? {
      lifecycle: [],
      snapshots: [],
      dead: [{ record, reason }],
    }
  )
}

const lastOffset = (records: readonly Stored<unknown>[]): number => records.at(-1)?.offset ?? -1
