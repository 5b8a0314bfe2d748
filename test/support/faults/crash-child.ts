import { randomUUID } from 'node:crypto'
import { writeSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { inspect } from 'node:util'
import type { Devnet } from '../../../src/devnet/devnet.ts'
import { completeAsk } from '../../../src/devnet/people/trade.ts'
import { type Account, accountOf, type WalletCoin } from '../../../src/devnet/people/wallet.ts'
import { outpointText } from '../../../src/domain/chain/outpoint.ts'
import { partitionOf } from '../../../src/domain/order/partition.ts'
import type { CrashPoint } from '../../../src/ports/log/crash-points.ts'
import { type Running, runAllInOne } from '../../../src/roles/all-in-one.ts'
import type { Clock } from '../../../src/runtime/clock.ts'
import { Config } from '../../../src/schemas/config/config.ts'
import { type CommandRecord, LOG_SCHEMA, TOPICS } from '../../../src/schemas/log.ts'
import type { AssetClaim, OrderSummary } from '../../../src/schemas/order.ts'
import type { OrderRecord } from '../../../src/schemas/order-record.ts'
import type { OrderId, OrderState } from '../../../src/schemas/scalars.ts'
import { toOrderId, toTxid } from '../ids.ts'
import { sellersProof, signedBy } from '../orders/withdrawals.ts'
import { systemClock } from '../system-clock.ts'
import { END, type Errand, type Fate, type Round, roundOf, type Said } from './crash-plan.ts'

// The whole service in a process that plays a plan on itself and kills itself on the way: started
// by crash-run.ts. The devnet stores its answers, so a fact is recorded in the same turn.

/** Waits of the service are shortened by this factor; nothing else of its time changes. */
const HASTE = 5
const POSTAGE = 10_000n
const PRICE = '50000'
const LOWER_PRICE = '40000'
const NO_INSCRIPTION = `${'0'.repeat(64)}i0`
const SPENT: readonly Fate[] = ['bought', 'bought and dropped', 'spent elsewhere']
const PATIENCE_MS = 60_000
const POLL_MS = 5
const SHED_MS = 100

const errand = JSON.parse(process.argv[2] ?? '') as Errand
/** The orders of the plan by `round/number`. */
const book: Record<string, string> = { ...errand.orders }

const say = (said: Said): void => {
  writeSync(1, `${JSON.stringify(said)}\n`)
}

function open(): Promise<Running> {
  const config = Config.parse({
    DATA_DIR: errand.dataDir,
    PORT: '0',
    METRICS_PORT: '0',
    LOG_LEVEL: 'silent',
    ORDER_PARTITIONS: '2',
    SIGNATURE_THREADS: '1',
    RATE_LIMIT_IMPORT: '100000',
    RATE_LIMIT_REVALIDATE: '100000',
    RATE_LIMIT_READ: '100000',
    RATE_LIMIT_PROVED_KIB: '1000000',
    RATE_LIMIT_STRANGERS_PROVED_KIB: '1000000',
  })
  const clock: Clock = {
    ...systemClock,
    sleep: (ms, signal) => systemClock.sleep(ms / HASTE, signal),
  }
  let passings = 0
  const onPoint = (point: CrashPoint) => {
    if (point !== errand.kill?.point) return
    passings += 1
    if (passings === errand.kill.passing) process.kill(process.pid, 'SIGKILL')
  }
  return runAllInOne(config, { clock, onPoint })
}

async function playRounds(running: Running): Promise<void> {
  const { devnet } = running.authorities
  if (!devnet) throw new Error('the plan is played on the devnet')
  for (let number = errand.round; number <= errand.lastRound; number += 1) {
    const facts = number === errand.round ? errand.facts : {}
    await new Player(running, devnet, number, facts).play()
    say({ said: 'round', round: number })
  }
}

/** Reports when all that the log held at the start has been consumed and folded. */
async function sayRecovered({ stores: { log, views } }: Running): Promise<void> {
  const partitions = Array.from({ length: log.partitions }, (_, partition) => partition)
  const ends = await Promise.all(partitions.map((partition) => log.end(TOPICS.inbox, partition)))
  for (const [partition, end] of ends.entries()) {
    await until(async () => (await log.consumed(partition)) >= end)
    const lifecycle = await log.end(TOPICS.lifecycle, partition)
    await until(async () => (await views.position(partition)) >= lifecycle)
  }
  say({ said: 'recovered', ms: performance.now() })
}

/** An order of the plan: its fate, and the coin that it offers. */
interface Planned {
  fate: Fate
  at: number
  seller: Account
  inscriptionId: string
  coin: WalletCoin
}

/** One round of the plan, from wherever it was interrupted. */
class Player {
  readonly #service: Running
  readonly #devnet: Devnet
  readonly #round: Round
  readonly #facts: Record<string, string>

  constructor(service: Running, devnet: Devnet, number: number, facts: Record<string, string>) {
    this.#service = service
    this.#devnet = devnet
    this.#round = roundOf(errand.seed, number)
    this.#facts = facts
  }

  async play(): Promise<void> {
    const orders = this.#round.fates.map((fate, at) => this.#plan(fate, at))
    this.#once('mined', () => String(this.#devnet.mine(1)))
    const ids = await Promise.all(orders.map((order) => this.#import(order)))
    for (const [at, id] of ids.entries()) {
      const label = `${this.#round.number}/${at}`
      book[label] = id
      say({ said: 'order', label, id })
    }
    for (const order of orders) this.#spend(order)
    await Promise.all(orders.map((order) => this.#act(order, toOrderId(ids[order.at] ?? ''))))
    this.#once('confirmed', () => String(this.#devnet.mine(1)))
    if (!this.#round.isReorged) return
    this.#once('reorged', () => String(this.#devnet.reorg(1).forkHeight))
    this.#once('confirmed again', () => String(this.#devnet.mine(1)))
  }

  /** Does a part of the round once, however often the process is killed: its result is stored. */
  #once(name: string, make: () => string): string {
    const known = this.#facts[name]
    if (known !== undefined) return known
    const value = make()
    this.#facts[name] = value
    say({ said: 'fact', round: this.#round.number, name, value })
    return value
  }

  #plan(fate: Fate, at: number): Planned {
    const label = `${this.#round.number}/${at}`
    const seller = accountOf(label, at % 2 ? 'p2wpkh' : 'p2tr')
    const made = this.#once(`coin ${at}`, () => {
      const content = { contentType: 'text/plain', body: Buffer.from(label), postage: POSTAGE }
      const coin = this.#devnet.inscribe(seller.address, { ...content, confirm: false })
      return JSON.stringify(coin)
    })
    const { inscriptionId, outpoint } = JSON.parse(made) as AssetClaim
    const coin = { outpoint, scriptHex: seller.scriptHex, valueSats: String(POSTAGE) }
    return { fate, at, seller, inscriptionId, coin }
  }

  async #import(order: Planned): Promise<string> {
    const inscriptionId = order.fate === 'lied about' ? NO_INSCRIPTION : order.inscriptionId
    const asset = { inscriptionId, outpoint: order.coin.outpoint }
    return this.#post('orders/import', { psbt: ask(order), asset })
  }

  /** Brings what spends the order's output into the mempool. */
  #spend(order: Planned): void {
    const { fate, at } = order
    if (!SPENT.includes(fate)) return
    // The seller's signature for another price pays what this order does not ask for.
    const price = fate === 'spent elsewhere' ? LOWER_PRICE : PRICE
    const hex = this.#once(`purchase ${at}`, () => purchase(this.#devnet, ask(order, price)))
    this.#once(`bought ${at}`, () => this.#devnet.submit(hex))
  }

  async #act({ fate, at, ...order }: Planned, id: OrderId): Promise<void> {
    if (fate === 'imported twice') await this.#import({ fate, at, ...order })
    if (fate === 'revalidated') await this.#post(`orders/${id}/revalidate`)
    if (fate === 'withdrawn') await this.#withdraw(id, order)
    if (fate !== 'bought and dropped' || this.#facts[`dropped ${at}`]) return
    await this.#seen(id, ({ state }) => state === 'MEMPOOL_CONFLICTED')
    this.#once(`dropped ${at}`, () => {
      this.#devnet.evict(toTxid(this.#facts[`bought ${at}`] ?? ''))
      return 'evicted'
    })
  }

  /** The id of the order in the answer, after the acknowledgement was reported. */
  async #post(path: string, body?: object): Promise<string> {
    const { status, told } = await this.#answer(path, body)
    if (status !== 201) throw new Error(`${path} was answered ${status}: ${told}`)
    const { id } = JSON.parse(told) as OrderSummary
    await this.#seen(id, () => true)
    return id
  }

  /** Retries while the service sheds load, is late, or closes an idle connection: the machine may be busy. */
  async #answer(path: string, body?: object): Promise<{ status: number; told: string }> {
    const deadline = performance.now() + PATIENCE_MS
    for (;;) {
      try {
        const answer = await fetch(`${this.#service.address}/api/market/${path}`, {
          method: 'POST',
          ...(body && {
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify(body),
          }),
        })
        const told = await answer.text()
        if (answer.status < 503) return { status: answer.status, told }
      } catch (error) {
        if (performance.now() > deadline) throw error
      }
      await delay(SHED_MS)
    }
  }

  /** As the withdrawal route puts the command into the inbox. */
  async #withdraw(orderId: OrderId, { coin, seller }: Pick<Planned, 'coin' | 'seller'>) {
    const { log, views } = this.#service.stores
    const at = new Date().toISOString()
    const outpoint = outpointText(coin.outpoint)
    const sign = (message: string) => signedBy(seller, message)
    const { scriptHex } = seller
    const requestId = randomUUID()
    const value: CommandRecord = {
      schema: LOG_SCHEMA,
      kind: 'command',
      command: 'withdraw',
      by: 'seller',
      proof: sellersProof({ orderId, outpoint, scriptHex, at, sign }),
      requestId,
      orderId,
      outpoint,
      at,
    }
    const partition = partitionOf(outpoint, log.partitions)
    await log.append([{ topic: TOPICS.inbox, partition, key: outpoint, value }])
    const stored = await views.waitForOutcome(requestId, AbortSignal.timeout(PATIENCE_MS))
    if (stored?.outcome.status !== 'done') throw new Error(`${orderId} could not be withdrawn`)
    say({ said: 'outcome', request: requestId, order: orderId, seq: stored.outcome.seq })
  }

  /** Waits until a reader sees the order as wanted, and reports what is seen. */
  async #seen(id: OrderId, wanted: (order: OrderRecord) => boolean): Promise<void> {
    const { views } = this.#service.stores
    await until(async () => {
      const order = (await views.order(id))?.order
      if (!order?.hash) return false
      say({ said: 'answered', order: id, seq: order.seq, hash: order.hash })
      return wanted(order)
    })
  }
}

function ask({ seller, coin }: Planned, price = PRICE): string {
  return seller.ask(coin, { scriptHex: seller.scriptHex, valueSats: price })
}

function purchase(devnet: Devnet, psbt: string): string {
  const buyer = accountOf('buyer', 'p2wpkh')
  const fund = (sats: bigint): WalletCoin => ({
    outpoint: devnet.fund(buyer.address, sats, { confirm: false }),
    scriptHex: buyer.scriptHex,
    valueSats: String(sats),
  })
  return completeAsk({
    ask: psbt,
    buyer,
    paddings: [fund(600n), fund(600n)],
    funding: fund(1_000_000n),
    receiveScriptHex: accountOf('buyer', 'p2tr').scriptHex,
  })
}

/**
 * Waits until everything that the plan did has taken effect everywhere, and reports the final
 * state.
 */
async function atRest({ stores: { views, history } }: Running): Promise<void> {
  const states: Record<string, OrderState | null> = {}
  const stateOf = async (id: OrderId) => (await views.order(id))?.order.state ?? null
  for (const [label, id] of Object.entries(book)) {
    const [round = '', at = ''] = label.split('/')
    const fate = roundOf(errand.seed, Number(round)).fates[Number(at)]
    // An order that does not reach its end is reported as it is: the parent says what is wrong with
    // it.
    await until(async () => fate && END[fate] === (await stateOf(toOrderId(id)))).catch(
      () => undefined,
    )
    states[label] = await stateOf(toOrderId(id))
  }
  let count = 0
  await until(async () => {
    const rows = new Map<string, number>()
    for await (const summary of history.summary()) rows.set(summary.orderId, summary.rows)
    const behind: string[] = []
    count = 0
    for await (const { id, seq } of views.all()) {
      count += 1
      if (rows.get(id) !== seq) behind.push(id)
    }
    return behind.length === 0
  })
  say({ said: 'end', states, orders: count })
}

async function until(holds: () => Promise<boolean | undefined>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error('the service does not become idle')
    await delay(POLL_MS)
  }
}

// An exit in order waits for threads of the history's engine, which may work for ever.
process.once('uncaughtException', (error) => {
  writeSync(2, inspect(error))
  process.kill(process.pid, 'SIGKILL')
})

const service = await open()
say({ said: 'ready', ms: performance.now() })
void sayRecovered(service)
await playRounds(service)
await atRest(service)
await service.close()
process.exit()
