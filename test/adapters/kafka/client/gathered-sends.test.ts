import fc from 'fast-check'
import type { TopicMessages } from 'kafkajs'
import { describe, expect, test } from 'vitest'
import { BATCH_BYTES, batchBytesOf } from '../../../../src/adapters/kafka/client/batches.ts'
import { GatheredSends } from '../../../../src/adapters/kafka/client/gathered-sends.ts'

/** One append: so many records of a partition, named after it. */
const append = (name: string, partition: number, records = 1, bytes = 1): TopicMessages[] => [
  {
    topic: 'inbox',
    messages: Array.from({ length: records }, (_, n) => ({
      ...{ partition, key: `${name} ${n}` },
      value: 'x'.repeat(bytes),
    })),
  },
]

/** Sends that end when the test says so. */
class Sends {
  readonly sent: TopicMessages[][] = []
  readonly #ends: { resolve(): void; reject(error: unknown): void }[] = []

  readonly send = (messages: TopicMessages[]): Promise<void> => {
    this.sent.push(messages)
    return new Promise((resolve, reject) => this.#ends.push({ resolve, reject }))
  }

  async end(error?: Error): Promise<void> {
    const end = this.#ends.shift()
    if (error) end?.reject(error)
    else end?.resolve()
    await new Promise((resolve) => setImmediate(resolve))
  }

  get keys(): string[][] {
    return this.sent.map((batch) =>
      batch.flatMap(({ messages }) => messages.map(({ key }) => String(key))),
    )
  }
}

describe('appends', () => {
  test('go at once while nothing is sent, and together once what is sent has ended', async () => {
    const sends = new Sends()
    const gathered = new GatheredSends(sends.send)
    const done: string[] = []
    for (const [n, name] of ['a', 'b', 'c'].entries())
      void gathered.send(append(name, n % 2, 2)).then(() => done.push(name))
    expect(sends.keys).toEqual([['a 0', 'a 1']])
    await sends.end()
    expect(sends.keys.slice(1)).toEqual([['b 0', 'b 1', 'c 0', 'c 1']])
    expect(done).toEqual(['a'])
    await sends.end()
    expect(done).toEqual(['a', 'b', 'c'])
    void gathered.send(append('d', 0))
    expect(sends.keys.at(-1)).toEqual(['d 0'])
  })

  test('fail with those that they were sent with, and with no others', async () => {
    const sends = new Sends()
    const gathered = new GatheredSends(sends.send)
    const outcomes = ['a', 'b', 'c'].map((name) =>
      gathered.send(append(name, 0)).then(
        () => `${name} written`,
        (error: Error) => `${name}: ${error.message}`,
      ),
    )
    await sends.end()
    await sends.end(new Error('no broker'))
    const next = gathered.send(append('d', 0))
    await sends.end()
    await next
    expect(await Promise.all(outcomes)).toEqual(['a written', 'b: no broker', 'c: no broker'])
  })

  test('that wait when it is closed fail, and so do later ones', async () => {
    const sends = new Sends()
    const gathered = new GatheredSends(sends.send)
    const [sent, waiting] = ['a', 'b'].map((name) => gathered.send(append(name, 0)))
    gathered.close(new Error('closed'))
    await expect(waiting).rejects.toThrow('closed')
    await expect(gathered.send(append('c', 0))).rejects.toThrow('closed')
    await sends.end()
    await sent
    expect(sends.keys).toEqual([['a 0']])
  })

  test('that a broker may refuse as too large are sent by themselves', async () => {
    const sends = new Sends()
    const gathered = new GatheredSends(sends.send)
    const large = append('large', 1, 1, BATCH_BYTES)
    const all = [append('a', 0), append('b', 0), large, append('c', 0)]
    const done = Promise.all(all.map((messages) => gathered.send(messages)))
    for (let n = 0; n < 4; n += 1) await sends.end()
    await done
    expect(sends.keys).toEqual([['a 0'], ['b 0'], ['large 0'], ['c 0']])
  })

  test('are each wholly in one batch of their partition, once, in order, within its bound', async () => {
    const drawn = fc.record({
      partition: fc.nat(2),
      records: fc.integer({ min: 1, max: 4 }),
      bytes: fc.oneof(fc.nat(100), fc.nat(BATCH_BYTES / 8)),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(drawn, { maxLength: 20 }), async (appends) => {
        const sends = new Sends()
        const gathered = new GatheredSends(sends.send)
        const done = Promise.all(
          appends.map(({ partition, records, bytes }, n) =>
            gathered.send(append(String(n), partition, records, bytes)),
          ),
        )
        while (sends.keys.flat().length < appends.reduce((sum, { records }) => sum + records, 0))
          await sends.end()
        await sends.end()
        await done
        const wanted = appends.flatMap(({ records }, n) =>
          Array.from({ length: records }, (_, record) => `${n} ${record}`),
        )
        expect(sends.keys.flat().toSorted()).toEqual(wanted.toSorted())
        for (const partition of [0, 1, 2]) {
          const inPartition = sends.sent.map((batch) =>
            batch.flatMap(({ messages }) => messages.filter((one) => one.partition === partition)),
          )
          expect(inPartition.flat().map(({ key }) => key)).toEqual(
            wanted.filter((key) => appends[Number.parseInt(key, 10)]?.partition === partition),
          )
          for (const messages of inPartition)
            expect(messages.reduce((sum, one) => sum + batchBytesOf(one), 0)).toBeLessThanOrEqual(
              BATCH_BYTES,
            )
        }
        const sendsOf = (n: number) =>
          sends.keys.filter((keys) => keys.some((key) => Number.parseInt(key, 10) === n)).length
        expect(appends.every((_, n) => sendsOf(n) === 1)).toBe(true)
      }),
      { numRuns: 100 },
    )
  })
})
