import type { Kafka, Producer, ProducerConfig } from 'kafkajs'
import { clusterMaker } from './cluster.ts'

/** What a producer asks a coordinator. */
const REQUESTS = [
  'initProducerId',
  'addPartitionsToTxn',
  'addOffsetsToTxn',
  'txnOffsetCommit',
  'endTxn',
] as const
type Request = (request: unknown) => Promise<unknown>
type Coordinator = Record<(typeof REQUESTS)[number], Request>
type Broker = Coordinator & { nodeId: number | string }

interface CoordinatorQuery {
  groupId: string
  coordinatorType?: number
}

/** The part of kafkajs that finds brokers; its types do not show it. */
interface Cluster {
  findGroupCoordinator(asked: CoordinatorQuery): Promise<Coordinator>
  findBroker(place: { nodeId: Broker['nodeId'] }): Promise<Broker>
}

/** How kafkajs calls NOT_COORDINATOR: the request had no effect. */
const NOT_COORDINATOR = 'NOT_COORDINATOR_FOR_GROUP'
/** The last transaction is not over yet, says the right coordinator. */
const NOT_YET = 'CONCURRENT_TRANSACTIONS'

/**
 * A producer that keeps the coordinators of its transactions and groups until one of them answers
 * with an error. kafkajs asks for them before each of the five requests of a transaction.
 */
export function producerKeepingCoordinators(kafka: Kafka, settings: ProducerConfig): Producer {
  const { symbol, make } = clusterMaker(kafka)
  const own = { value: (options: unknown) => keeping(make(options) as Cluster) }
  return (Object.create(kafka, { [symbol]: own }) as Kafka).producer(settings)
}

function keeping(cluster: Cluster): Cluster {
  const find = cluster.findGroupCoordinator.bind(cluster) as (
    asked: CoordinatorQuery,
  ) => Promise<Broker>
  const kept = new Map<string, Broker['nodeId']>()
  const known = async (key: string, asked: CoordinatorQuery): Promise<Broker> => {
    const nodeId = kept.get(key)
    if (nodeId === undefined) return await find(asked)
    try {
      return await cluster.findBroker({ nodeId })
    } catch {
      kept.delete(key)
      return await find(asked)
    }
  }
  cluster.findGroupCoordinator = async (asked) => {
    const key = `${asked.coordinatorType} ${asked.groupId}`
    const broker = await known(key, asked)
    /** Kept once it has answered. */
    const answer = async (from: Broker, name: keyof Coordinator, request: unknown) => {
      const answered = await from[name](request)
      kept.set(key, from.nodeId)
      return answered
    }
    const asking = (name: keyof Coordinator): Request => {
      return async (request) => {
        try {
          return await answer(broker, name, request)
        } catch (error) {
          const { type } = error as { type?: string }
          if (type === NOT_YET) kept.set(key, broker.nodeId)
          else kept.delete(key)
          if (type !== NOT_COORDINATOR) throw error
          return await answer(await find(asked), name, request)
        }
      }
    }
    return Object.fromEntries(REQUESTS.map((name) => [name, asking(name)])) as Coordinator
  }
  return cluster
}
