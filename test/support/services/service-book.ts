import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { auditStore } from '../../../src/operator/audit/audit-store.ts'
import type { ActivityPage, OrderPage, OrderSummary } from '../../../src/schemas/order.ts'
import type { OrderState } from '../../../src/schemas/scalars.ts'
import { walletOf } from '../chain/keys.ts'
import { openRealChain, type RealChain, type RealChainOptions } from '../chain/real-chain.ts'
import { coinOf, openWallet, txOut, type Wallet } from '../chain/wallet.ts'
import { type BuyerCoin, completeAsk } from '../market/buyer.ts'
import { type Market, ORDERS_ONLY, openMarket } from '../market/market.ts'
import { contradictions } from '../market/truth.ts'
import { type AskOptions, type MadeAsk, makeAsk } from '../orders/psbt-orders.ts'
import { waitUntil } from './programs.ts'

export type AskSpec = Omit<AskOptions, 'seed' | 'prevout'> & {
  /** The seller's keys; default: new keys. */
  seed?: string
  /** Of the offered output. */
  sats?: bigint
}

/** Sellers and buyers on one chain of real parts, and the whole service over it. */
export interface ServiceBook {
  readonly chain: RealChain
  /** Pays for everything. */
  readonly miner: Wallet
  /** The running service. */
  readonly market: Market
  /** A name not returned before. */
  name(): string
  /** Mines, and waits until the index has the blocks. The hashes. */
  mine(blocks?: number): Promise<readonly string[]>
  /** Confirmed coins of one new buyer. */
  coins(sats: readonly bigint[]): Promise<BuyerCoin[]>
  /** An ask over a confirmed output of its own; the service has not seen it yet. */
  ask(spec?: AskSpec): Promise<Ask>
  /** The service's answer; throws for anything but 201. */
  imported(psbt: string, saying?: object): Promise<OrderSummary>
  /** An ask that the service shows LIVE. */
  live(spec?: AskSpec): Promise<LiveAsk>
  /** What a buyer would broadcast, with confirmed coins of its own unless they are given. */
  purchase(
    ask: Pick<MadeAsk, 'psbt' | 'prevout'>,
    how?: { feeSats?: bigint; coins?: readonly BuyerCoin[] },
  ): Promise<string>
  /** The node's own reason to refuse a transaction; null: it would accept it. */
  refusal(hex: string): Promise<string | null>
  /** Resolves when the service has followed the node to its tip. */
  followed(): Promise<void>
  /**
   * Fails unless the activity log shows that the order passed these states, in one of these ways.
   */
  hasPassed(id: string, ...ways: (readonly OrderState[])[]): Promise<void>
  /** Every order that differs from what node and index say at this moment. */
  lies(): Promise<string[]>
  /** Stops the service, lets things happen, and starts it on the same folder. */
  restartMarket(meanwhile?: () => Promise<unknown>): Promise<void>
  /**
   * Waits until nothing moves, compares every order with node and index, stops the service and
   * checks the invariants on what it stored. Returns what was wrong, or could not be proved.
   */
  audit(): Promise<string[]>
  close(): Promise<void>
}

export type Ask = MadeAsk & { seed: string }
export type LiveAsk = Ask & { id: string }

/** Another ask of the same seller over the same output. */
export const askAgain = (
  { seed, outpoint, prevout, seller }: Ask,
  options: Omit<AskSpec, 'seed' | 'sats' | 'script'>,
): Ask => ({
  ...makeAsk({
    ...options,
    script: seller.kind,
    seed,
    prevout: { ...outpoint, valueSats: prevout.valueSats },
  }),
  seed,
})

/** The offered output in its seller's hands. */
export const coinOfSeller = ({ outpoint, prevout, seller }: Ask): BuyerCoin => ({
  outpoint,
  output: prevout,
  wallet: seller,
})

const Verdicts = z.tuple([
  z.object({ allowed: z.boolean(), 'reject-reason': z.string().optional() }),
])
/** Rebuilding an index takes a second or two here: it is queried before that is over. */
const INGEST_PACE = { indexPollMs: 1_000, watermarkMs: 1_000, quietMs: 0 }
/** An order waits for at most this many watermarks before it is asked about again. */
const STILL_WATERMARKS = 4
/** The history may lag behind the views by two seconds. */
const HISTORY_MS = 5_000
/** Two paddings, and the payment. */
export const BUYER_COINS = [600n, 600n, 1_000_000n] as const

export interface ServiceBookOptions extends RealChainOptions {
  /** Of the service, besides those that name node and index; without pairing and circles by default. */
  variables?: Record<string, string>
  /** How often the miner can pay. */
  payments?: number
  /** The address by which the service reaches the index; by default its own. */
  inFrontOf?: (ordUrl: string) => Promise<string>
}

export async function openServiceBook({
  variables = {},
  payments = 40,
  inFrontOf = async (ordUrl) => ordUrl,
  ...parts
}: ServiceBookOptions = {}): Promise<ServiceBook> {
  const chain = await openRealChain(parts)
  const miner = await openWallet(chain, payments)
  await chain.syncIndex()
  const settings = {
    BITCOIN_RPC_URL: chain.core.url,
    ...(variables['BITCOIN_RPC_USER'] === undefined && {
      BITCOIN_RPC_COOKIE_FILE: chain.core.cookieFile,
    }),
    ASSET_INDEX_URL: await inFrontOf(chain.ord.url),
    MEMPOOL_POLL_MS: '100',
    ...ORDERS_ONLY,
    ...variables,
  }
  let market = await openMarket(settings, { ingestPace: INGEST_PACE })
  let names = 0
  const name = () => `somebody ${++names}`

  const mine = async (blocks = 1) => {
    const hashes = await chain.mine(blocks)
    await chain.syncIndex()
    return hashes
  }

  const coins = async (sats: readonly bigint[]) => {
    const wallet = walletOf('p2wpkh', name())
    const funding = miner.pay(sats.map((value) => txOut(wallet.scriptHex, value)))
    await chain.submit(funding.toHex())
    await mine()
    return sats.map((_, vout) => ({ ...coinOf(funding, vout), wallet }))
  }

  const ask = async ({ seed = name(), sats = 10_000n, ...options }: AskSpec = {}) => {
    const { outpoint, output } = await miner.fund(
      walletOf(options.script ?? 'p2tr', seed).scriptHex,
      sats,
    )
    await mine()
    const prevout = { ...outpoint, valueSats: output.valueSats }
    return { ...makeAsk({ ...options, seed, prevout }), seed }
  }

  const imported = async (psbt: string, saying: object = {}) => {
    const { status, body } = await market.post('orders/import', { psbt, ...saying })
    if (status !== 201) throw new Error(`import answered ${status}: ${JSON.stringify(body)}`)
    return body as OrderSummary
  }

  const live = async (spec: AskSpec = {}) => {
    const made = await ask(spec)
    const { id, state, validation } = await imported(made.psbt)
    if (state !== 'LIVE') throw new Error(`a good ask is ${state} (${validation.reasons})`)
    return { ...made, id }
  }

  const purchase: ServiceBook['purchase'] = async ({ psbt, prevout }, how = {}) => {
    const [first, second, funding] = how.coins ?? (await coins(BUYER_COINS))
    if (!first || !second || !funding) throw new Error('three coins were asked for')
    const { scriptHex } = funding.wallet
    return completeAsk({
      psbt,
      prevout,
      paddings: [first, second],
      funding: [funding],
      receiveScriptHex: walletOf('p2tr', name()).scriptHex,
      changeScriptHex: scriptHex,
      ...(how.feeSats !== undefined && { feeSats: how.feeSats }),
    })
  }

  const refusal = async (hex: string) => {
    const [{ allowed, ...verdict }] = Verdicts.parse(
      await chain.core.rpc('testmempoolaccept', [hex], 0),
    )
    return allowed ? null : (verdict['reject-reason'] ?? 'refused')
  }

  const metrics = async () => (await fetch(`${market.metricsAddress}/metrics`)).text()

  const followed = () =>
    waitUntil('the service is at the tip of the node', async () => {
      const { tip } = await chain.node.chain()
      return new RegExp(`^market_ingest_tip_height ${tip.height}$`, 'm').test(await metrics())
    })

  const hasPassed = async (id: string, ...ways: (readonly OrderState[])[]) => {
    const until = performance.now() + HISTORY_MS
    for (;;) {
      const { entries } = (await market.get(`activity?orderId=${id}&limit=200`))
        .body as ActivityPage
      const passed = entries.map(({ toState }) => toState).reverse()
      if (ways.some((states) => isDeepStrictEqual(passed, states))) return
      if (performance.now() > until) throw new Error(`${id} passed ${passed.join()}`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }

  const everyOrder = async () => {
    const orders: OrderSummary[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query = `limit=200&includeWithdrawn=true${cursor && `&cursor=${cursor}`}`
      const page = (await market.get(`orders?${query}`)).body as OrderPage
      orders.push(...page.orders)
      cursor = page.nextCursor === '' ? null : page.nextCursor
    }
    return orders
  }

  const lies = async () => contradictions(chain, await everyOrder())

  const watermarks = async () => {
    const counts = (await metrics()).matchAll(/^market_ingest_watermarks_total\{.*\} ([0-9]+)$/gm)
    return [...counts].reduce((sum, [, count]) => sum + Number(count), 0)
  }

  /** No requests, and no order changed while several watermarks came. */
  const quiet = async () => {
    let before = ''
    let from = -Infinity
    await waitUntil('nothing moves', async () => {
      const seen = await watermarks()
      if (seen - from < STILL_WATERMARKS) return false
      const orders = await everyOrder()
      const now = JSON.stringify(orders.map(({ id, state, updatedAt }) => [id, state, updatedAt]))
      const isStill = now === before && /^market_verifications_waiting 0$/m.test(await metrics())
      before = now
      from = seen
      return isStill
    })
  }

  return {
    chain,
    miner,
    get market() {
      return market
    },
    name,
    mine,
    coins,
    ask,
    imported,
    live,
    purchase,
    refusal,
    followed,
    hasPassed,
    lies,
    restartMarket: async (meanwhile) => {
      await market.stop()
      await meanwhile?.()
      market = await openMarket(settings, { ingestPace: INGEST_PACE, dataDir: market.dataDir })
    },
    audit: async () => {
      await chain.syncIndex()
      await quiet()
      const found = await lies()
      await market.stop()
      const report = await auditStore(market.config)
      const skipped = String(report)
        .split('\n')
        .filter((line) => line.includes('skipped:'))
      return [...found, ...report.violations, ...skipped]
    },
    close: async () => {
      await market.end()
      await chain.close()
    },
  }
}
