import { createRequire } from 'node:module'
import type { RecordMetadata, TopicMessages } from 'kafkajs'
import { describe, expect, test } from 'vitest'
import { onceEach, sending } from '../../../../src/adapters/kafka/client/batches.ts'

const require = createRequire(import.meta.url)
const sendMessages = require('kafkajs/src/producer/sendMessages')
const createRetry = require('kafkajs/src/retry')

type Leaders = readonly [ofPartition0: number, ofPartition1: number]

const batch: TopicMessages[] = [
  {
    topic: 'inbox',
    messages: [
      { partition: 0, value: 'a' },
      { partition: 1, value: 'b' },
    ],
  },
]

/** kafkajs' own send, to two brokers: the second refuses once, and then the partitions have other leaders. */
async function sentWhile(after: Leaders) {
  let leaders: Leaders = [1, 2]
  const written: string[] = []
  const broker = (nodeId: number) => ({
    nodeId,
    produce: async ({ topicData }: { topicData: { partitions: { partition: number }[] }[] }) => {
      // The first has answered by then.
      if (nodeId === 2) await new Promise((resolve) => setTimeout(resolve, 5))
      if (nodeId === 2 && leaders !== after) throw notLeader()
      const partitions = topicData.flatMap((topic) => topic.partitions)
      for (const { partition } of partitions) written.push(`inbox ${partition}`)
      const answers = partitions.map(({ partition }) => ({
        ...{ partition, errorCode: 0, baseOffset: '7' },
      }))
      return { topics: [{ topicName: 'inbox', partitions: answers }] }
    },
  })
  const brokers = [broker(1), broker(2)]
  const cluster = {
    isConnected: () => true,
    refreshMetadataIfNecessary: async () => {},
    refreshMetadata: async () => {
      leaders = after
    },
    addMultipleTargetTopics: async () => {},
    findTopicPartitionMetadata: () =>
      leaders.map((leader, partitionId) => ({ partitionId, leader })),
    findLeaderForPartitions: (_topic: string, partitions: string[]) => {
      const ledBy = (id: number) => partitions.map(Number).filter((one) => leaders[one] === id)
      const found = brokers.map(({ nodeId }) => [nodeId, ledBy(nodeId)] as const)
      return Object.fromEntries(found.filter(([, some]) => some.length > 0))
    },
    findBroker: async ({ nodeId }: { nodeId: string }) => brokers[Number(nodeId) - 1],
  }
  const quiet = { debug: () => {}, error: () => {} }
  const eosManager = {
    ...{ acquireBrokerLock: async () => {}, releaseBrokerLock: async () => {} },
    ...{ isTransactional: () => false, getSequence: () => 0, updateSequence: () => {} },
    ...{ getProducerId: () => 1, getProducerEpoch: () => 0 },
  }
  const partitioner = ({ message }: { message: { partition: number } }) => message.partition
  const retrier = createRetry({ initialRetryTime: 1, retries: 3 })
  const send = sendMessages({ logger: quiet, cluster, partitioner, eosManager, retrier })
  const answers: RecordMetadata[] = await send(sending(batch))
  return { answers, written: written.sort() }
}

const notLeader = () =>
  Object.assign(new Error('not the leader'), {
    ...{ name: 'KafkaJSProtocolError', type: 'NOT_LEADER_FOR_PARTITION', retriable: true },
  })

describe('a send of kafkajs that resolves although leaders have moved', () => {
  test('is taken where each partition was written to once', async () => {
    const { answers, written } = await sentWhile([1, 2])
    expect(written).toEqual(['inbox 0', 'inbox 1'])
    expect(onceEach(batch, answers)).toEqual(answers)
  })

  test('is refused without what the broker that had answered would have taken', async () => {
    const { answers, written } = await sentWhile([1, 1])
    expect(written).toEqual(['inbox 0'])
    expect(() => onceEach(batch, answers)).toThrow(
      'brokers were to write to inbox 0, inbox 1, and wrote to inbox 0',
    )
  })

  test('is refused with a partition that was sent to its next leader again', async () => {
    const { answers, written } = await sentWhile([2, 2])
    expect(written).toEqual(['inbox 0', 'inbox 0', 'inbox 1'])
    expect(() => onceEach(batch, answers)).toThrow('wrote to inbox 0, inbox 0, inbox 1')
  })
})
