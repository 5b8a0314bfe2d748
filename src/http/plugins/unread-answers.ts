export interface UnreadBounds {
  /** Bytes of answers that a client has not read yet. */
  clientBytes: number
  /** Unread bytes of all clients. */
  allBytes: number
}

interface UnreadAnswer {
  bytes: number
  drop: () => void
}

interface AnswerReader {
  bytes: number
  /** The oldest first. */
  answers: Set<UnreadAnswer>
}

/**
 * Answers that were made and not read yet, by client. Beyond a bound the oldest ones are dropped, of
 * the client itself or of the one that holds most: the slowest readers, not who asks next.
 */
export class UnreadAnswers {
  readonly #bounds: UnreadBounds
  readonly #readers = new Map<string, AnswerReader>()
  #bytes = 0

  constructor(bounds: UnreadBounds) {
    this.#bounds = bounds
  }

  /** In all. */
  get bytes(): number {
    return this.#bytes
  }

  /** Adds an answer, and returns the function that takes it away again. `drop`: ends its connection. */
  add(client: string, bytes: number, drop: () => void): () => void {
    const reader = this.#readers.get(client) ?? { bytes: 0, answers: new Set() }
    const answer = { bytes, drop }
    this.#readers.set(client, reader)
    reader.answers.add(answer)
    reader.bytes += bytes
    this.#bytes += bytes
    this.#makeRoom(client, reader)
    return () => this.#remove(client, reader, answer)
  }

  /** The newest answer stays, however large it is. */
  #makeRoom(client: string, own: AnswerReader): void {
    while (own.bytes > this.#bounds.clientBytes && own.answers.size > 1)
      this.#dropOldest(client, own)
    while (this.#bytes > this.#bounds.allBytes) {
      const most = this.#holdingMost(own)
      if (!most) return
      this.#dropOldest(...most)
    }
  }

  #dropOldest(client: string, reader: AnswerReader): void {
    const [oldest] = reader.answers
    if (!oldest) return
    this.#remove(client, reader, oldest)
    oldest.drop()
  }

  /**
   * The client with the most unread bytes, of the clients that hold another answer than the newest.
   */
  #holdingMost(own: AnswerReader): [string, AnswerReader] | null {
    let most: [string, AnswerReader] | null = null
    for (const one of this.#readers) {
      const [, reader] = one
      if (reader === own && own.answers.size === 1) continue
      if (!most || reader.bytes > most[1].bytes) most = one
    }
    return most
  }

  #remove(client: string, reader: AnswerReader, answer: UnreadAnswer): void {
    if (!reader.answers.delete(answer)) return
    reader.bytes -= answer.bytes
    this.#bytes -= answer.bytes
    if (reader.answers.size === 0) this.#readers.delete(client)
  }
}
