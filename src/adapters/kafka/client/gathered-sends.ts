import type { TopicMessages } from 'kafkajs'
import { BATCH_BYTES, batchBytesOf, SendBatch } from './batches.ts'

interface WaitingSend {
  messages: readonly TopicMessages[]
  resolve(): void
  reject(error: unknown): void
}

/**
 * Sends one batch of messages at a time. What is given meanwhile is sent together, in its order, as
 * much as one send takes: what one caller gives for a partition stays in one batch of it, which a
 * broker takes wholly or not at all. All that were sent together fail together.
 */
export class GatheredSends {
  readonly #send: (messages: TopicMessages[]) => Promise<void>
  readonly #waiting: WaitingSend[] = []
  #isSending = false
  #closed: Error | null = null

  constructor(send: (messages: TopicMessages[]) => Promise<void>) {
    this.#send = send
  }

  /** Settles as the send that has these messages does. */
  async send(messages: readonly TopicMessages[]): Promise<void> {
    if (this.#closed) throw this.#closed
    await new Promise<void>((resolve, reject) => {
      this.#waiting.push({ messages, resolve, reject })
      if (!this.#isSending) void this.#drain()
    })
  }

  /** Fails with this error what waits, and what is given from now on. */
  close(error: Error): void {
    this.#closed = error
    for (const { reject } of this.#waiting.splice(0)) reject(error)
  }

  async #drain(): Promise<void> {
    this.#isSending = true
    for (;;) {
      const { group, messages } = this.#next()
      if (group.length === 0) break
      try {
        await this.#send(messages)
        for (const { resolve } of group) resolve()
      } catch (error) {
        for (const { reject } of group) reject(error)
      }
    }
    this.#isSending = false
  }

  #next(): { group: WaitingSend[]; messages: TopicMessages[] } {
    const batch = new SendBatch()
    const group: WaitingSend[] = []
    for (const waiting of this.#waiting) {
      if (group.length > 0 && !fits(batch, waiting.messages)) break
      for (const [topic, message, bytes] of each(waiting.messages))
        batch.put(topic, message.partition, message, bytes)
      group.push(waiting)
      // Brokers may refuse it, and nothing else with it.
      if (isLarge(waiting.messages)) break
    }
    this.#waiting.splice(0, group.length)
    return { group, messages: batch.messages }
  }
}

function fits(batch: SendBatch, messages: readonly TopicMessages[]): boolean {
  if (isLarge(messages)) return false
  const places = new Map<string, { topic: string; partition: number; bytes: number }>()
  for (const [topic, { partition }, bytes] of each(messages)) {
    const key = `${topic} ${partition}`
    const place = places.get(key) ?? { topic, partition, bytes: 0 }
    place.bytes += bytes
    places.set(key, place)
  }
  return [...places.values()].every(({ topic, partition, bytes }) =>
    batch.hasRoom(topic, partition, bytes),
  )
}

const isLarge = (messages: readonly TopicMessages[]): boolean =>
  each(messages).reduce((sum, [, , bytes]) => sum + bytes, 0) > BATCH_BYTES

type Placed = TopicMessages['messages'][number] & { partition: number }

const each = (messages: readonly TopicMessages[]): [string, Placed, number][] =>
  messages.flatMap(({ topic, messages: some }) =>
    some.map((message): [string, Placed, number] => [
      topic,
      message as Placed,
      batchBytesOf(message),
    ]),
  )
