import type { Kafka } from 'kafkajs'
import { expect, test } from 'vitest'
import { Transactions } from '../../../../src/adapters/kafka/client/transactions.ts'
import { StorageUnavailableError } from '../../../../src/ports/log/storage-errors.ts'

const AWAY = new Error('the coordinator is away')

/** A client whose producers fail at a step, and how many of them are connected. */
function failingAt(step: 'connect' | 'transaction' | 'abort' | 'commit', error = AWAY) {
  const open = new Set<object>()
  const failAt = async (at: typeof step) => {
    if (at === step) throw error
  }
  const producer = () => {
    const own = {
      // kafkajs has sockets by then.
      connect: async () => {
        open.add(own)
        await failAt('connect')
      },
      transaction: async () => {
        await failAt('transaction')
        return { abort: () => failAt('abort'), commit: () => failAt('commit') }
      },
      disconnect: async () => void open.delete(own),
    }
    return own
  }
  const kafka = { [Symbol('private:Kafka:createCluster')]: () => ({}), producer }
  return { open, kafka: kafka as unknown as Kafka }
}

test.each(['connect', 'transaction', 'abort'] as const)(
  'an id that cannot be taken leaves no producer: it fails at %s',
  async (step) => {
    const { open, kafka } = failingAt(step)
    const transactions = new Transactions(kafka, 'orders 0')
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await expect(transactions.fence()).rejects.toThrow(StorageUnavailableError)
      expect(open.size).toBe(0)
      await expect(transactions.run(async () => {})).rejects.toThrow('is not initialised')
    }
  },
)

test.each([
  ['was forgotten', { type: 'INVALID_PRODUCER_ID_MAPPING' }, 2],
  ['was ended', { code: 90 }, 2],
  ['has an unknown end', {}, 1],
])(
  'a transaction of an id of one process that %s again and again is an outage',
  async (_, found, runs) => {
    const { open, kafka } = failingAt('commit', Object.assign(new Error('no'), found))
    const transactions = new Transactions(kafka, 'appends')
    let ran = 0
    const work = async () => {
      ran += 1
    }
    await expect(transactions.runAlone(work)).rejects.toThrow(StorageUnavailableError)
    expect([ran, open.size]).toEqual([runs, 0])
  },
)
