import { EventEmitter } from 'node:events'
import type { Kafka } from 'kafkajs'
import { expect, test } from 'vitest'
import { LogReader } from '../../../../src/adapters/kafka/client/reader.ts'

/** A consumer of kafkajs, as far as a reader uses it. */
class FakeConsumer {
  readonly events = {
    ...{ CRASH: 'crash', STOP: 'stop', GROUP_JOIN: 'join', HEARTBEAT: 'heartbeat' },
    ...{ REQUEST: 'request', START_BATCH_PROCESS: 'batch' },
  }
  readonly sought: string[] = []
  readonly #emitter = new EventEmitter()
  #hasGroup = false

  on = (name: string, listener: (event: unknown) => void) => this.#emitter.on(name, listener)
  connect = async () => {}
  subscribe = async () => {}
  disconnect = async () => {}
  run = async () => this.join()
  pause = () => this.#requireGroup()
  resume = () => this.#requireGroup()
  seek = ({ offset }: { offset: string }) => {
    this.#requireGroup()
    this.sought.push(offset)
  }

  join(): void {
    this.#hasGroup = true
    this.#emitter.emit(this.events.GROUP_JOIN, {})
  }

  /** As kafkajs stops what it starts again a moment later. */
  crash(): void {
    this.#hasGroup = false
    this.#emitter.emit(this.events.STOP, {})
    this.#emitter.emit(this.events.CRASH, { payload: { restart: true } })
  }

  #requireGroup(): void {
    if (!this.#hasGroup) throw new Error('Consumer group was not initialized')
  }
}

test('a reader ends, and another begins, while the consumer starts again after a fault', async () => {
  const consumer = new FakeConsumer()
  const reader = await LogReader.open({
    kafka: { consumer: () => consumer } as unknown as Kafka,
    groupId: 'g',
    topics: new Map([['log', 2]]),
    firstOffset: async () => 0,
  })
  const stop = new AbortController()
  const read = async (partition: number, from: number) => {
    expect(reader.take('log', partition)).toBe(true)
    for await (const _ of reader.read('log', partition, from, stop.signal)) break
  }
  const first = read(0, 5)
  consumer.crash()
  const second = read(1, 7)
  stop.abort()
  await Promise.all([first, second])
  expect([reader.take('log', 0), reader.take('log', 1)]).toEqual([true, true])

  const third = new AbortController()
  const reading = reader.read('log', 0, 9, third.signal).next()
  consumer.join()
  expect(consumer.sought.at(-1)).toBe('9')
  third.abort()
  expect(await reading).toMatchObject({ done: true })
  await reader.close()
})
