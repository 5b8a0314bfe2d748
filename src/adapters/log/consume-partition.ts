import type { Clock } from '../../ports/clock.ts'
import type { OnPoint } from '../../ports/crash-points.ts'
import type { InboxWorker, Stored, WorkerOutput } from '../../ports/event-log.ts'
import { RecordTooLarge } from '../../ports/storage-errors.ts'
import { TOO_LARGE } from '../../schemas/log.ts'
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

const RETRY_FIRST_MS = 50
const RETRY_MOST_MS = 2_000

/**
 * Consumes one partition until the signal aborts. After any failure the worker is dropped and opened
 * anew from what was committed, so that a batch is either wholly there or steps once more. What the
 * log refuses as too large steps in halves; a record that is refused alone is set aside.
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
      const retryInMs = Math.min(RETRY_FIRST_MS * 2 ** failures, RETRY_MOST_MS)
      failures += 1
      if (error instanceof RecordTooLarge) size.halve()
      loop.onFailure({ partition: loop.partition, error, retryInMs })
      await loop.clock.sleep(retryInMs, signal)
    }
  }
}

async function consumeFromCommitted(
  { open, batches, commit, clock, onPoint }: PartitionLoop,
  size: StepSize,
  signal: AbortSignal,
  onProgress: () => void,
): Promise<void> {
  const worker = await open()
  try {
    onPoint('before consume')
    for await (const batch of batches(signal)) {
      for (let rest = batch; rest.length > 0; ) {
        const records = size.firstOf(rest)
        if (signal.aborted) return
        onPoint('after consume')
        await clock.turn()
        onPoint('before compute')
        const output = await outputOf(worker, records, size)
        onPoint('after compute')
        const { taken = records.length } = output
        const next = records[taken]?.offset ?? lastOffset(records) + 1
        await commit(output, next)
        worker.committed()
        size.grow()
        rest = rest.slice(taken)
        onProgress()
        onPoint('before consume')
      }
    }
  } finally {
    await worker.close()
  }
}

async function outputOf(
  worker: InboxWorker,
  records: readonly Stored<unknown>[],
  size: StepSize,
): Promise<WorkerOutput> {
  const [record] = records
  if (!record || !size.isRefused(record)) return await worker.step(records)
  const reason = `${TOO_LARGE}: no log takes what this record does`
  return (
    (await worker.setAside?.(record, reason)) ?? {
      lifecycle: [],
      snapshots: [],
      dead: [{ record, reason }],
    }
  )
}

const lastOffset = (records: readonly Stored<unknown>[]): number => records.at(-1)?.offset ?? -1
