import type { Kafka } from 'kafkajs'

/** The part of kafkajs that makes requests of brokers; its types do not show it. */
export interface RawCluster {
  connect(): Promise<void>
  disconnect(): Promise<void>
  addMultipleTargetTopics(topics: readonly string[]): Promise<void>
  findGroupCoordinator(asked: { groupId: string; coordinatorType: number }): Promise<RawBroker>
  findBroker(place: { nodeId: string }): Promise<RawBroker>
  /** The partitions by their leader's id. */
  findLeaderForPartitions(topic: string, partitions: readonly number[]): Record<string, number[]>
}

export interface RawBroker {
  initProducerId(asked: {
    transactionalId: string
    transactionTimeout: number
  }): Promise<{ producerId: string; producerEpoch: number }>
  addPartitionsToTxn(request: object): Promise<unknown>
  endTxn(request: object): Promise<unknown>
  produce(request: object): Promise<{
    topics: { topicName: string; partitions: { partition: number; baseOffset: string }[] }[]
  }>
}

const CREATE_CLUSTER = 'private:Kafka:createCluster'

/** How kafkajs makes the connections of a producer. */
export function clusterMaker(kafka: Kafka): { symbol: symbol; make(options: unknown): unknown } {
  const symbol = Object.getOwnPropertySymbols(kafka).find(
    ({ description }) => description === CREATE_CLUSTER,
  )
  if (!symbol) throw new Error('this version of kafkajs makes its clusters in another way')
  return { symbol, make: Reflect.get(kafka, symbol) as (options: unknown) => unknown }
}

/** Connections of its own to the brokers of these topics. */
export async function connectedCluster(
  kafka: Kafka,
  topics: readonly string[],
): Promise<RawCluster> {
  const cluster = clusterMaker(kafka).make({
    metadataMaxAge: METADATA_MS,
    allowAutoTopicCreation: false,
    maxInFlightRequests: 1,
  }) as RawCluster
  await cluster.connect()
  await cluster.addMultipleTargetTopics(topics)
  return cluster
}

const METADATA_MS = 300_000
