import type { StreamSink } from '../../../src/gateway/streaming/stream-reader.ts'
import { StreamChange } from '../../../src/schemas/api/stream.ts'

interface Collected {
  event: string
  id: string
  data: string
}

/** The reader of a stream, as slow as the test wants. */
export class CollectingSink implements StreamSink {
  /** Every piece, as it was sent. */
  readonly pieces: Uint8Array[] = []
  isFree = true
  isEnded = false
  failure: unknown = null
  #isBlocked = false
  #free = () => {}

  send(events: readonly Uint8Array[]): boolean {
    this.pieces.push(...events)
    this.isFree = !this.#isBlocked
    return this.isFree
  }

  async taken(): Promise<void> {
    if (this.isFree) return
    await new Promise<void>((resolve) => {
      this.#free = resolve
    })
  }

  /** From the next event on nothing is taken. */
  block(): void {
    this.#isBlocked = true
  }

  unblock(): void {
    this.#isBlocked = false
    this.isFree = true
    this.#free()
  }

  attend(): void {}

  end(): void {
    this.isEnded = true
  }

  fail(error: unknown): void {
    this.failure = error
    this.isEnded = true
  }

  get events(): Collected[] {
    const blocks = Buffer.concat(this.pieces).toString().split('\n\n')
    return blocks.flatMap((block) => {
      const fields = block.split('\n').map((line): [string, string] => {
        const at = line.indexOf(': ')
        return [line.slice(0, at), line.slice(at + 2)]
      })
      const { event, id = '', data = '' } = Object.fromEntries(fields)
      return event ? [{ event, id, data }] : []
    })
  }

  get changes(): StreamChange[] {
    return this.events
      .filter(({ event }) => event === 'change')
      .map(({ data }) => StreamChange.parse(JSON.parse(data)))
  }

  get seqs(): number[] {
    return this.changes.map(({ seq }) => seq)
  }
}
