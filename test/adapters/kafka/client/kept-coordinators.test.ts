import { Kafka, type Producer } from 'kafkajs'
import { describe, expect, test } from 'vitest'
import { producerKeepingCoordinators } from '../../../../src/adapters/kafka/client/kept-coordinators.ts'

interface Looked {
  findGroupCoordinator(asked: { groupId: string; coordinatorType: number }): Promise<{
    endTxn(request: unknown): Promise<string>
  }>
}

/** A cluster of two brokers, as kafkajs knows it: the coordinator is one of them. */
class TwoBrokers {
  coordinator = 0
  looks = 0
  readonly asked: number[] = []
  readonly away = new Set<number>()
  /** The next requests fail so. */
  readonly failures: string[] = []

  readonly cluster = {
    findGroupCoordinator: async () => {
      this.looks += 1
      return this.#broker(this.coordinator)
    },
    findBroker: async ({ nodeId }: { nodeId: number }) => {
      if (this.away.has(nodeId)) throw new Error('away')
      return this.#broker(nodeId)
    },
  }

  /** The cluster that a producer of such a client uses. */
  opened(): Looked {
    const kafka = {
      [Symbol('private:Kafka:createCluster')]: () => this.cluster,
      producer(this: object): unknown {
        const [symbol] = Object.getOwnPropertySymbols(this)
        return (this as Record<symbol, () => unknown>)[symbol!]!()
      },
    }
    return producerKeepingCoordinators(kafka as unknown as Kafka, {}) as unknown as Looked
  }

  #broker(nodeId: number) {
    return {
      nodeId,
      endTxn: async () => {
        this.asked.push(nodeId)
        const type =
          nodeId === this.coordinator ? this.failures.shift() : 'NOT_COORDINATOR_FOR_GROUP'
        if (type) throw Object.assign(new Error(type), { type })
        return 'ended'
      },
    }
  }
}

const ask = async (cluster: Looked, groupId = 'one', coordinatorType = 1) =>
  await (await cluster.findGroupCoordinator({ groupId, coordinatorType })).endTxn({})

describe('the coordinator of a transaction', () => {
  test('is looked up once for many requests, for each id and each kind', async () => {
    const brokers = new TwoBrokers()
    const cluster = brokers.opened()
    for (let n = 0; n < 5; n += 1) await ask(cluster)
    expect(brokers.looks).toBe(1)
    await ask(cluster, 'another')
    await ask(cluster, 'one', 0)
    expect(brokers.looks).toBe(3)
  })

  test('that has moved is looked up again, and the request, which had no effect, is repeated', async () => {
    const brokers = new TwoBrokers()
    const cluster = brokers.opened()
    await ask(cluster)
    brokers.coordinator = 1
    expect(await ask(cluster)).toBe('ended')
    expect(brokers.asked).toEqual([0, 0, 1])
    await ask(cluster)
    expect(brokers.looks).toBe(2)
  })

  test('that has not begun to be one is not kept', async () => {
    const brokers = new TwoBrokers()
    const cluster = brokers.opened()
    const refused = 'NOT_COORDINATOR_FOR_GROUP'
    brokers.failures.push(refused, refused)
    await expect(ask(cluster)).rejects.toThrow(refused)
    expect(brokers.asked).toEqual([0, 0])
    await ask(cluster)
    expect(brokers.looks).toBe(3)
    await ask(cluster)
    expect(brokers.looks).toBe(3)
  })

  test('whose broker cannot be reached is looked up again', async () => {
    const brokers = new TwoBrokers()
    const cluster = brokers.opened()
    await ask(cluster)
    brokers.away.add(0)
    brokers.coordinator = 1
    expect(await ask(cluster)).toBe('ended')
    expect(brokers.looks).toBe(2)
  })

  test('is dropped with any other error, which the caller gets, unless it says "not yet"', async () => {
    const brokers = new TwoBrokers()
    const cluster = brokers.opened()
    brokers.failures.push('CONCURRENT_TRANSACTIONS', 'INVALID_TXN_STATE')
    await expect(ask(cluster)).rejects.toThrow('CONCURRENT_TRANSACTIONS')
    await expect(ask(cluster)).rejects.toThrow('INVALID_TXN_STATE')
    expect(brokers.looks).toBe(1)
    await ask(cluster)
    expect(brokers.looks).toBe(2)
  })
})

test('the installed kafkajs makes its clusters where they are expected, in this producer alone', () => {
  const kafka = new Kafka({ brokers: ['127.0.0.1:1'], logCreator: () => () => {} })
  const before = Reflect.ownKeys(kafka).map((key) => Reflect.get(kafka, key))
  const producer: Producer = producerKeepingCoordinators(kafka, { transactionalId: 'one' })
  expect(producer.transaction).toBeTypeOf('function')
  expect(Reflect.ownKeys(kafka).map((key) => Reflect.get(kafka, key))).toEqual(before)
})
