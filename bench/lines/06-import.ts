import { createHash } from 'node:crypto'
import { openRealChain, type RealChain } from '../../test/support/chain/real-chain.ts'
import { askFor, fundSellers, type SellerCoin } from '../../test/support/chain/seller-coins.ts'
import { openWallet } from '../../test/support/chain/wallet.ts'
import { temporaryDirectory } from '../../test/support/embedded.ts'
import { SERVICE_LOGIN } from '../../test/support/services/core.ts'
import { KafkaServer } from '../../test/support/services/kafka.ts'
import { compare, type Line } from '../harness/line.ts'
import type { Comparison, Round } from '../harness/results.ts'
import { quantile } from '../harness/table.ts'
import { requireClean } from '../market/require-clean.ts'
import { importAsk, importBatch } from './processes/import-ask.ts'
import { ended, forkPinned, type PinnedProcess, SERVER_CORE } from './processes/pinned.ts'

// The node, the index, Kafka and the client share what the service leaves of the machine.
// BENCH_PROFILE: a folder for a CPU profile of each service.

const TOKEN = 'ab'.repeat(32)
/** Of the service and of its audit. */
const PARTITIONS = '4'
const ALONE = 25
const AT_ONCE = 64
const TOGETHER = 256
const QUICK_TOGETHER = 64
const ROUNDS = 3
const PAYMENTS = 30
const COINS_AT_ONCE = 1_000
const QUESTIONS = 'questions an import'
/** Imports before the first round: by then the code is compiled. */
const WARM_UP = 1_500
const QUICK_WARM_UP = 128
const RATE = 'imports a second, 64 at once'
const BATCH_LINES = 64
const CPU = 'µs of processor time an import, 64 at once'
const CPU_RATIO = `${CPU}, as a multiple of the peer’s`
const BATCH_RATE = `imports a second, in batches of ${BATCH_LINES}`
const BATCH_CPU = `µs of processor time an import, in batches of ${BATCH_LINES}`
const COLD = 'µs of processor time an import, the first of a process'

interface Goals {
  /** The time of one alone, as a multiple of the peer’s. */
  ratio: number
  /** Processor time, microseconds, and as a multiple of the peer’s. */
  cpuUs: number
  cpuRatio: number
  batchCpuUs: number
}

const EMBEDDED: Goals = { ratio: 2.5, cpuUs: 4_000, cpuRatio: 2, batchCpuUs: 2_600 }
const ON_KAFKA: Goals = { ratio: 5, cpuUs: 9_000, cpuRatio: 4.5, batchCpuUs: 5_500 }

interface Asked {
  ms: number
  cpuUs: number
}

export const line: Line = {
  number: 6,
  name: 'import',
  work: '`POST /orders/import` of an ask until it answers 201, proved and stored, on Bitcoin Core and ord',
  peer: 'seven calls of node and index by the same clients, one after another: what an import took once',
  run: async ({ isQuick, progress }) => {
    const together = isQuick ? QUICK_TOGETHER : TOGETHER
    const rounds = isQuick ? 1 : ROUNDS
    const chain = await openRealChain()
    try {
      const warmUp = isQuick ? QUICK_WARM_UP : WARM_UP
      const each = warmUp + (rounds + 1) * (ALONE + 2 * together)
      progress(`${each * 2} asks`)
      const coins = await coinsOf(chain, each * 2)
      const onChain = (variables: Record<string, string>, name: string, goals: Goals) =>
        importing({
          warmUp,
          chain,
          coins: coins.splice(0, each),
          together,
          rounds,
          variables,
          name,
          goals,
        })
      const embedded = await onChain({}, 'embedded', EMBEDDED)
      const kafka = await KafkaServer.start()
      try {
        const onKafka = await onChain({ KAFKA_BROKERS: kafka.broker }, 'log in Kafka', ON_KAFKA)
        return [embedded, onKafka]
      } finally {
        await kafka.stop()
      }
    } finally {
      await chain.close()
    }
  },
}

async function coinsOf(chain: RealChain, count: number): Promise<SellerCoin[]> {
  const miner = await openWallet(chain, PAYMENTS)
  const coins: SellerCoin[] = []
  while (coins.length < count)
    coins.push(...(await fundSellers(chain, miner, Math.min(COINS_AT_ONCE, count - coins.length))))
  return coins
}

interface Importing {
  chain: RealChain
  coins: SellerCoin[]
  warmUp: number
  together: number
  rounds: number
  variables: Record<string, string>
  name: string
  goals: Goals
}

async function importing(given: Importing): Promise<Comparison> {
  const { chain, coins, warmUp, together, rounds, name, goals } = given
  const directory = temporaryDirectory()
  const profile = process.env['BENCH_PROFILE']
  using service = forkPinned({ module: 'import-service', core: SERVER_CORE, profile })
  try {
    const address = await service.call<string>('start', {
      variables: {
        ...{ ...given.variables, DATA_DIR: directory.path, TRUST_PROXY: '127.0.0.1' },
        ORDER_PARTITIONS: PARTITIONS,
        OPERATOR_TOKENS: `bench:${createHash('sha256').update(TOKEN).digest('hex')}`,
      },
      coreUrl: chain.core.url,
      ordUrl: chain.ord.url,
    })
    await ready(address)
    const key = await customerKey(address)
    const cold = await allAtOnce(service, address, coins.splice(0, Math.min(together, warmUp)))
    await allAtOnce(service, address, coins.splice(0, Math.max(0, warmUp - together)))
    // Each import is followed by the calls by hand: both sides of a round come from one run.
    let last: { round: number; both: Round } | null = null
    const both = async (round: number) => {
      if (last?.round !== round)
        last = { round, both: await bothOf(service, { address, key }, coins, together, cold.cpuUs) }
      return last.both
    }
    const comparison = await compare(
      {
        name,
        sizes: `${ALONE} alone, then ${together}, ${AT_ONCE} at once`,
        unit: 'ms an import',
        ratio: 'ours/peer',
        target: { atMost: goals.ratio },
        rounds,
        beside: {
          [CPU]: { target: { atMost: goals.cpuUs }, guard: null },
          [CPU_RATIO]: { target: { atMost: goals.cpuRatio }, guard: null },
          [RATE]: { target: null, guard: null },
          [BATCH_CPU]: { target: { atMost: goals.batchCpuUs }, guard: null },
          [BATCH_RATE]: { target: null, guard: null },
          [COLD]: { target: null, guard: null },
          [QUESTIONS]: { target: null, guard: null },
        },
      },
      async (round) => (await both(round)).ours,
      async (round) => (await both(round)).peer,
    )
    await ended(service)
    await requireClean({
      ...given.variables,
      DATA_DIR: directory.path,
      ORDER_PARTITIONS: PARTITIONS,
      BITCOIN_RPC_URL: chain.core.url,
      BITCOIN_RPC_USER: SERVICE_LOGIN.user,
      BITCOIN_RPC_PASSWORD: SERVICE_LOGIN.password,
      ASSET_INDEX_URL: chain.ord.url,
    })
    return comparison
  } finally {
    directory.drop()
  }
}

async function bothOf(
  service: PinnedProcess,
  { address, key }: { address: string; key: string },
  coins: SellerCoin[],
  together: number,
  coldUs: number,
): Promise<Round> {
  const alone = await oneByOne(service, address, coins.splice(0, ALONE))
  const { perSecond, cpuUs } = await allAtOnce(service, address, coins.splice(0, together))
  const batches = await inBatches(service, { address, key }, coins.splice(0, together))
  const median = (of: (asked: Asked) => number) => quantile(alone.byHand.map(of), 0.5)
  const byHandUs = median((asked) => asked.cpuUs)
  return {
    ours: {
      figure: quantile(alone.ms, 0.5),
      cpuUs,
      beside: {
        [CPU]: cpuUs,
        [CPU_RATIO]: cpuUs / byHandUs,
        [RATE]: perSecond,
        [BATCH_CPU]: batches.cpuUs,
        [BATCH_RATE]: batches.perSecond,
        [COLD]: coldUs,
        [QUESTIONS]: quantile(alone.questions, 0.5),
      },
    },
    peer: { figure: median(({ ms }) => ms), cpuUs: byHandUs },
  }
}

async function ready(address: string): Promise<void> {
  while (!(await fetch(`${address}/readyz`)).ok)
    await new Promise((resolve) => setTimeout(resolve, 100))
}

async function oneByOne(service: PinnedProcess, address: string, coins: readonly SellerCoin[]) {
  const ms: number[] = []
  const questions: number[] = []
  const byHand: Asked[] = []
  for (const coin of coins) {
    const psbt = askFor(coin)
    await service.call('record')
    const begun = performance.now()
    await importAsk(address, psbt)
    ms.push(performance.now() - begun)
    questions.push(await service.call<number>('questions'))
    byHand.push(await service.call<Asked>('askByHand', coin.outpoint))
  }
  return { ms, questions, byHand }
}

async function allAtOnce(service: PinnedProcess, address: string, coins: readonly SellerCoin[]) {
  const psbts = coins.map(askFor)
  const work = async () => {
    for (let psbt = psbts.pop(); psbt !== undefined; psbt = psbts.pop())
      await importAsk(address, psbt)
  }
  return await rateOf(service, coins.length, () =>
    Promise.all(Array.from({ length: AT_ONCE }, work)),
  )
}

/** All batches at the same time, with the key of one customer. */
async function inBatches(
  service: PinnedProcess,
  { address, key }: { address: string; key: string },
  coins: SellerCoin[],
) {
  const lines = coins.map((coin) => JSON.stringify({ psbt: askFor(coin) }))
  const batches: string[][] = []
  while (lines.length > 0) batches.push(lines.splice(0, BATCH_LINES))
  return await rateOf(service, coins.length, () =>
    Promise.all(batches.map((batch) => importBatch(address, key, batch))),
  )
}

async function rateOf(service: PinnedProcess, count: number, work: () => Promise<unknown>) {
  const before = await service.call<number>('cpu')
  const begun = performance.now()
  await work()
  const seconds = (performance.now() - begun) / 1_000
  const used = (await service.call<number>('cpu')) - before
  return { perSecond: count / seconds, cpuUs: used / count }
}

/** The key of a customer of the largest tier. */
async function customerKey(address: string): Promise<string> {
  const answer = await fetch(`${address}/api/market/admin/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'bench', tier: 'maker' }),
  })
  if (answer.status !== 201) throw new Error(`answered ${answer.status}: ${await answer.text()}`)
  return ((await answer.json()) as { key: string }).key
}
