import { StorageUnavailableError } from '../../../ports/log/storage-errors.ts'
import { type Fetched, LogReader, type ReaderParts } from './reader.ts'

/** As many consumers as a partition has concurrent readers: one, or two in a projector. */
export class LogReaders {
  readonly #parts: Omit<ReaderParts, 'groupId'>
  readonly #newGroupId: () => string
  #readers: Promise<LogReader>[] = []
  #closed = false

  constructor(parts: Omit<ReaderParts, 'groupId'>, newGroupId: () => string) {
    this.#parts = parts
    this.#newGroupId = newGroupId
  }

  async *read(
    topic: string,
    partition: number,
    from: number,
    signal: AbortSignal,
  ): AsyncGenerator<Fetched> {
    if (signal.aborted) return
    const reader = await this.#free(topic, partition)
    yield* reader.read(topic, partition, from, signal)
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const reader of this.#readers) await (await reader.catch(() => null))?.close()
  }

  async #free(topic: string, partition: number): Promise<LogReader> {
    for (let at = 0; ; at += 1) {
      const opening = this.#readers[at] ?? this.#open()
      const reader = await opening.catch((error: unknown) => {
        this.#readers = this.#readers.filter((other) => other !== opening)
        throw error
      })
      if (reader.closed) {
        this.#readers = this.#readers.filter((other) => other !== opening)
        at = -1
      } else if (reader.take(topic, partition)) return reader
    }
  }

  #open(): Promise<LogReader> {
    // A stop ends the questions that are open: it is no fault of theirs.
    if (this.#closed) throw new StorageUnavailableError('closed', 'the log is closed')
    const opening = LogReader.open({ ...this.#parts, groupId: this.#newGroupId() })
    this.#readers.push(opening)
    return opening
  }
}
