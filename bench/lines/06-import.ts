import { openRealChain, type RealChain } from '../../test/support/chain/real-chain.ts'
import { askFor, fundSellers, type SellerCoin } from '../../test/support/chain/seller-coins.ts'
import { openWallet } from '../../test/support/chain/wallet.ts'
import { temporaryDirectory } from '../../test/support/embedded.ts'
import { KafkaServer } from '../../test/support/services/kafka.ts'
import { compare, type Line } from '../harness/line.ts'
import type { Comparison, Round } from '../harness/results.ts'
import { quantile } from '../harness/table.ts'
import { importAsk } from './processes/import-ask.ts'
import { ended, forkPinned, type PinnedProcess, SERVER_CORE } from './processes/pinned.ts'

// The node, the index, Kafka and the client share what the service leaves of the machine.
// BENCH_PROFILE: a folder for a CPU profile of each service.

const ALONE = 25
const AT_ONCE = 64
const TOGETHER = 256
const QUICK_TOGETHER = 64
const ROUNDS = 3
const PAYMENTS = 30
const COINS_AT_ONCE = 1_000
const QUESTIONS = 'questions an import'
const RATE = 'imports a second, 64 at once'

interface AskedAgain {
  questions: number
  ms: number
  cpuUs: number
}

export const line: Line = {
  number: 6,
  name: 'import',
  work: '`POST /orders/import` of an ask until it answers 201, proved and stored, on Bitcoin Core and ord',
  peer: 'the same calls of node and index by the same clients, one after another',
  run: async ({ isQuick, progress }) => {
    const together = isQuick ? QUICK_TOGETHER : TOGETHER
    const rounds = isQuick ? 1 : ROUNDS
    const chain = await openRealChain()
    try {
      const each = (rounds + 1) * (ALONE + together)
      progress(`${each * 2} asks`)
      const coins = await coinsOf(chain, each * 2)
      const onChain = (variables: Record<string, string>, name: string, atMost: number) =>
        importing({
          chain,
          coins: coins.splice(0, each),
          together,
          rounds,
          variables,
          name,
          atMost,
        })
      const embedded = await onChain({}, 'embedded', 2.5)
      const kafka = await KafkaServer.start()
      try {
        const onKafka = await onChain({ KAFKA_BROKERS: kafka.broker }, 'log in Kafka', 5)
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
  together: number
  rounds: number
  variables: Record<string, string>
  name: string
  atMost: number
}

async function importing(given: Importing): Promise<Comparison> {
  const { chain, coins, together, rounds, name, atMost } = given
  const directory = temporaryDirectory()
  const profile = process.env['BENCH_PROFILE']
  using service = forkPinned({ module: 'import-service', core: SERVER_CORE, profile })
  try {
    const address = await service.call<string>('start', {
      variables: { ...given.variables, DATA_DIR: directory.path, TRUST_PROXY: '127.0.0.1' },
      coreUrl: chain.core.url,
      ordUrl: chain.ord.url,
    })
    await ready(address)
    // Each import is followed by its own requests, repeated: both sides of a round come from one
    // run.
    let last: { round: number; both: Round } | null = null
    const both = async (round: number) => {
      if (last?.round !== round)
        last = { round, both: await bothOf(service, address, coins, together) }
      return last.both
    }
    const comparison = await compare(
      {
        name,
        sizes: `${ALONE} alone, then ${together}, ${AT_ONCE} at once`,
        unit: 'ms an import',
        ratio: 'ours/peer',
        target: { atMost },
        rounds,
        beside: {
          [RATE]: { target: { atLeast: 1_000 }, guard: null },
          [QUESTIONS]: { target: null, guard: null },
        },
      },
      async (round) => (await both(round)).ours,
      async (round) => (await both(round)).peer,
    )
    await ended(service)
    return comparison
  } finally {
    directory.drop()
  }
}

async function bothOf(
  service: PinnedProcess,
  address: string,
  coins: SellerCoin[],
  together: number,
): Promise<Round> {
  const alone = await oneByOne(service, address, coins.splice(0, ALONE))
  const { perSecond, cpuUs } = await allAtOnce(service, address, coins.splice(0, together))
  const median = (of: (asked: AskedAgain) => number) => quantile(alone.asked.map(of), 0.5)
  return {
    ours: {
      figure: quantile(alone.ms, 0.5),
      cpuUs,
      beside: { [RATE]: perSecond, [QUESTIONS]: median(({ questions }) => questions) },
    },
    peer: { figure: median(({ ms }) => ms), cpuUs: median((asked) => asked.cpuUs) },
  }
}

async function ready(address: string): Promise<void> {
  while (!(await fetch(`${address}/readyz`)).ok)
    await new Promise((resolve) => setTimeout(resolve, 100))
}

async function oneByOne(service: PinnedProcess, address: string, coins: readonly SellerCoin[]) {
  const ms: number[] = []
  const asked: AskedAgain[] = []
  for (const coin of coins) {
    const psbt = askFor(coin)
    await service.call('record')
    const begun = performance.now()
    await importAsk(address, psbt)
    ms.push(performance.now() - begun)
    asked.push(await service.call<AskedAgain>('askAgain'))
  }
  return { ms, asked }
}

async function allAtOnce(service: PinnedProcess, address: string, coins: readonly SellerCoin[]) {
  const psbts = coins.map(askFor)
  const count = psbts.length
  const before = await service.call<number>('cpu')
  const begun = performance.now()
  const work = async () => {
    for (let psbt = psbts.pop(); psbt !== undefined; psbt = psbts.pop())
      await importAsk(address, psbt)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  const seconds = (performance.now() - begun) / 1_000
  const used = (await service.call<number>('cpu')) - before
  return { perSecond: count / seconds, cpuUs: used / count }
}
