import type { Kafka } from 'kafkajs'
import { expect, test } from 'vitest'
import { Transactions } from '../../../../src/adapters/kafka/client/transactions.ts'
import { StorageUnavailableError } from '../../../../src/ports/log/storage-errors.ts'

/** A client whose producers fail at a step, and how many of them are connected. */
function failingAt(step: 'connect' | 'transaction' | 'abort') {
  const open = new Set<object>()
  const failAt = async (at: typeof step) => {
    if (at === step) throw new Error('the coordinator is away')
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
        return { abort: () => failAt('abort') }
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
      expect([open.size, transactions.isOurs]).toEqual([0, false])
    }
  },
)
