import { setTimeout as delay } from 'node:timers/promises'
import { OWN_TOPICS } from '../../../src/adapters/kafka/client/names.ts'
import { KafkaLog } from '../../../src/adapters/kafka/log.ts'
import { outpointText } from '../../../src/domain/chain/outpoint.ts'
import { isSealed } from '../../../src/domain/order/change-chain.ts'
import { partitionOf } from '../../../src/domain/order/partition.ts'
import { LifecycleRecord, TOPICS } from '../../../src/schemas/log.ts'
import type { OrderSummary } from '../../../src/schemas/order.ts'
import { askFor, fundSellers, type SellerCoin } from '../chain/seller-coins.ts'
import { spend } from '../chain/spend.ts'
import { openWallet, txOut, type Wallet } from '../chain/wallet.ts'
import { type ApiClient, openApiClient } from '../market/api-client.ts'
import { systemClock } from '../system-clock.ts'
import type { RoleProcess, Stack } from './stack.ts'

const THEFT_FEE_SATS = 1_000n
const PAUSE_MS = 250
const RETRY_MS = 300
const PATIENCE_MS = 90_000
/** One in this many is bought directly, without the service, so that its state moves on. */
const SPENT_ONE_IN = 3
const BLOCK_ONE_IN = 8
/** In hex more than one piece has. */
const LARGE_BYTES = 2 ** 18
/** Its length as OP_PUSHDATA4 has it, hex. */
const LARGE_PUSH = '00000400'
const NEVER = new AbortController().signal

/** The contents of the lifecycle, counted independently of the service and its audit. */
export interface LifecycleCount {
  transitions: number
  duplicated: number
  outOfOrder: number
}

/**
 * Sellers that list, and coins that are spent, on a stack under faults: every answer is recorded,
 * and at the end each must be true.
 */
export class StackLoad {
  readonly #stack: Stack
  readonly #miner: Wallet
  #api: ApiClient
  #coins: SellerCoin[]
  /** For each order that was answered: is its output spent? */
  readonly #answered = new Map<string, boolean>()
  #made = 0
  #running: { stop: AbortController; done: Promise<void> } | null = null

  static async open(stack: Stack, coins: number): Promise<StackLoad> {
    const miner = await openWallet(stack.chain, 30)
    return new StackLoad(stack, miner, await fundSellers(stack.chain, miner, coins))
  }

  private constructor(stack: Stack, miner: Wallet, coins: SellerCoin[]) {
    this.#stack = stack
    this.#miner = miner
    this.#coins = coins
    this.#api = openApiClient(stack.role('gateway').address)
  }

  get answered(): number {
    return this.#answered.size
  }

  /** The ids of the orders that were answered. */
  get orders(): string[] {
    return [...this.#answered.keys()]
  }

  /** The gateway that is asked from now on. */
  use(gateway: RoleProcess): void {
    this.#api = openApiClient(gateway.address)
  }

  start(): void {
    const stop = new AbortController()
    const run = async () => {
      while (!stop.signal.aborted && this.#coins.length > 1) {
        await this.#list()
        if (this.#made % BLOCK_ONE_IN === 0) await this.#mine()
        await delay(PAUSE_MS)
      }
    }
    this.#running = { stop, done: run() }
  }

  async rest(): Promise<void> {
    this.#running?.stop.abort()
    await this.#running?.done
    this.#running = null
  }

  /** The time from now until an ask in each partition that is imported now is answered LIVE. */
  async recovery(): Promise<number> {
    const begun = performance.now()
    const partitions = Number(this.#stack.variables['ORDER_PARTITIONS'])
    const coins = Array.from({ length: partitions }, (_, partition) =>
      this.#take(({ outpoint }) => partitionOf(outpointText(outpoint), partitions) === partition),
    )
    await Promise.all(coins.map((coin) => this.#import(coin)))
    return performance.now() - begun
  }

  /** Answers that are not true, once the service had time to follow. */
  async lies(): Promise<string[]> {
    const until = performance.now() + PATIENCE_MS
    for (;;) {
      const found = (await Promise.all([...this.#answered].map((one) => this.#lieOf(one)))).flat()
      if (found.length === 0 || performance.now() > until) return found
      await delay(RETRY_MS)
    }
  }

  /** The whole lifecycle, read independently. */
  lifecycle(): Promise<LifecycleCount> {
    return this.#reading(tally)
  }

  /** How many entries of `ingest.state` are in pieces, each time that they were written. */
  entriesInPieces(): Promise<number> {
    return this.#reading(async (log) => {
      let found = 0
      for await (const { messages } of log.storedRaw(OWN_TOPICS.ingest, 0, 0, NEVER))
        found += messages.filter(({ value }) => value?.includes('"pieces":')).length
      return found
    })
  }

  /** A block with a transaction that ingest can keep in pieces only, if the form of the log has any. */
  async mineLarge(): Promise<void> {
    const output = txOut(`6a4e${LARGE_PUSH}${'00'.repeat(LARGE_BYTES)}`, 0n)
    await this.#stack.chain.mineExactly([this.#miner.pay([output]).toHex()])
  }

  async #reading<T>(read: (log: KafkaLog) => Promise<T>): Promise<T> {
    const { ORDER_PARTITIONS, KAFKA_BROKERS = '' } = this.#stack.variables
    const log = await KafkaLog.open({
      brokers: [KAFKA_BROKERS],
      clientId: 'tally',
      prefix: '',
      network: 'regtest',
      partitions: Number(ORDER_PARTITIONS),
      clock: systemClock,
      snapshots: () => Promise.reject(new Error('the tally owns no partition')),
      onLog: () => {},
    })
    try {
      return await read(log)
    } finally {
      await log.close()
    }
  }

  async #lieOf([id, isSpent]: [string, boolean]): Promise<string[]> {
    const { status, body } = await this.#api.get(`orders/${id}`)
    if (status !== 200) return [`${id}: ${status}`]
    const { state } = body as OrderSummary
    const isTrue = isSpent ? state !== 'LIVE' && state !== 'REJECTED' : state === 'LIVE'
    return isTrue ? [] : [`${id} is ${state}, its output is ${isSpent ? 'spent' : 'unspent'}`]
  }

  async #list(): Promise<void> {
    const coin = this.#take()
    const id = await this.#import(coin)
    if (this.#made % SPENT_ONE_IN !== 0) return
    const left = BigInt(coin.output.valueSats) - THEFT_FEE_SATS
    const output = txOut(this.#miner.scriptHex, left)
    await this.#persist(() =>
      this.#stack.chain.submit(spend({ inputs: [coin], outputs: [output] })),
    )
    this.#answered.set(id, true)
  }

  /** Repeats a request until it is answered, as a client would. */
  async #import(coin: SellerCoin): Promise<string> {
    this.#made += 1
    const psbt = askFor(coin)
    const answer = await this.#persist(async () => {
      const { status, body } = await this.#api.post('orders/import', { psbt })
      const order = body as OrderSummary
      if (status !== 201 || order.state !== 'LIVE') throw new Error(`${status}: ${order.state}`)
      return order
    })
    this.#answered.set(answer.id, false)
    return answer.id
  }

  async #persist<T>(work: () => Promise<T>): Promise<T> {
    const until = performance.now() + PATIENCE_MS
    for (;;) {
      try {
        return await work()
      } catch (error) {
        if (performance.now() > until) throw error
        await delay(RETRY_MS)
      }
    }
  }

  #take(isWanted: (coin: SellerCoin) => boolean = () => true): SellerCoin {
    const [coin] = this.#coins.splice(this.#coins.findIndex(isWanted), 1)
    if (!coin || !isWanted(coin)) throw new Error('the load has no coins left: open it with more')
    return coin
  }

  async #mine(): Promise<void> {
    await this.#persist(() => this.#stack.chain.mine(1))
  }
}

async function tally(log: KafkaLog): Promise<LifecycleCount> {
  const count: LifecycleCount = { transitions: 0, duplicated: 0, outOfOrder: 0 }
  const last = new Map<string, { seq: number; hash: string }>()
  const seen = new Set<string>()
  for (let partition = 0; partition < log.partitions; partition += 1) {
    for await (const batch of log.stored(TOPICS.lifecycle, partition, 0)) {
      for (const { value } of batch) {
        const record = LifecycleRecord.parse(value)
        const name =
          record.kind === 'outcome'
            ? `outcome ${record.requestId}`
            : `${record.orderId} ${record.seq}`
        if (seen.has(name)) count.duplicated += 1
        seen.add(name)
        if (record.kind === 'outcome') continue
        if (record.kind === 'transition') count.transitions += 1
        const before = last.get(record.orderId)
        const follows = record.seq === (before?.seq ?? 0) + 1
        const isChained = record.prevHash === (before?.hash ?? null) && isSealed(record)
        if (!follows || !isChained) count.outOfOrder += 1
        last.set(record.orderId, record)
      }
    }
  }
  return count
}
