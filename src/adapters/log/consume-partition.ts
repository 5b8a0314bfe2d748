import type { Clock } from '../../ports/clock.ts'
import type { OnPoint } from '../../ports/crash-points.ts'
import type { InboxWorker, Stored, WorkerOutput } from '../../ports/event-log.ts'

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

/** Records of one step: more would hold the event loop for too long. */
const STEP_RECORDS = 100
const RETRY_FIRST_MS = 50
const RETRY_MOST_MS = 2_000

/**
 * Consumes one partition until the signal aborts. After any failure the worker is dropped and opened
 * anew from what was committed, so that a batch is either wholly there or steps once more.
 */
export async function consumePartition(loop: PartitionLoop, signal: AbortSignal): Promise<void> {
  let failures = 0
  while (!signal.aborted) {
    try {
      await consumeFromCommitted(loop, signal, () => {
        failures = 0
      })
    } catch (error) {
      const retryInMs = Math.min(RETRY_FIRST_MS * 2 ** failures, RETRY_MOST_MS)
      failures += 1
      loop.onFailure({ partition: loop.partition, error, retryInMs })
      await loop.clock.sleep(retryInMs, signal)
    }
  }
}

async function consumeFromCommitted(
  { open, batches, commit, clock, onPoint }: PartitionLoop,
  signal: AbortSignal,
  onProgress: () => void,
): Promise<void> {
  const worker = await open()
  try {
    onPoint('before consume')
    for await (const batch of batches(signal)) {
      for (const records of chunks(batch)) {
        const last = records.at(-1)
        if (signal.aborted || !last) return
        onPoint('after consume')
        await clock.turn()
        onPoint('before compute')
        const output = await worker.step(records)
        onPoint('after compute')
        await commit(output, last.offset + 1)
        worker.committed()
        onProgress()
        onPoint('before consume')
      }
    }
  } finally {
    await worker.close()
  }
}

function* chunks<T>(records: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < records.length; from += STEP_RECORDS) {
    yield records.slice(from, from + STEP_RECORDS)
  }
}
