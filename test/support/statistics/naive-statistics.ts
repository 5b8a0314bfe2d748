import { foldOrder } from '../../../src/domain/order/fold-order.ts'
import type { ChangeRecord } from '../../../src/schemas/log.ts'
import type { OrderRecord } from '../../../src/schemas/order-record.ts'
import { everyBook, namedHeights } from './naive-versions.ts'

// Each statistic from the changes themselves, in the plainest way: whole orders, loops and sorting.

/** Rows as ClickHouse returns them; some amounts are decimal text. */
export type Row = Record<string, unknown>

interface Moment {
  change: ChangeRecord
  /** The order after it. */
  order: OrderRecord
}

interface Life {
  moments: Moment[]
  order: OrderRecord
  firstLiveAt: string | null
  /** According to the node; null if it never answered. */
  postage: bigint | null
}

interface Sale {
  life: Life
  txid: string
  soldAt: string
  settledAt: string
  height: number | null
  isTakenBack: boolean
  isCounted: boolean
}

const sats = (amount: bigint | string | null | undefined): string | null =>
  amount === null || amount === undefined ? null : String(amount)
const dayOf = (time: string): string => time.slice(0, 10)
const codeOf = (reason: string): string => reason.split(' ')[0] ?? ''
const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((all, one) => all + one, 0n)
const rising = (amounts: readonly bigint[]) => amounts.toSorted((a, b) => (a < b ? -1 : 1))
const least = (amounts: readonly bigint[]): bigint | null => rising(amounts)[0] ?? null
const most = (amounts: readonly bigint[]): bigint | null => rising(amounts).at(-1) ?? null
/** As `quantileExact`: the element at that share of the sorted ones. */
const quantile = (values: readonly number[], share: number): number | null =>
  values.toSorted((a, b) => a - b)[Math.trunc(share * values.length)] ?? null

function grouped<T>(items: readonly T[], keyOf: (item: T) => unknown): T[][] {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const key = JSON.stringify(keyOf(item))
    groups.set(key, [...(groups.get(key) ?? []), item])
  }
  return [...groups.values()]
}

/** What the seller is paid: a bid's signed price excludes the postage, an ask's includes it. */
const priceOf = ({ order: { side, quotedPriceSats }, postage }: Life): bigint | null => {
  if (quotedPriceSats === undefined) return null
  if (side !== 'BID') return BigInt(quotedPriceSats)
  return postage === null ? null : BigInt(quotedPriceSats) + postage
}
const netOf = (life: Life): bigint | null => {
  const price = priceOf(life)
  return price === null || life.postage === null ? null : price - life.postage
}
const protocolOf = ({ order }: Life) => order.protocolId ?? null
const tokenOf = ({ order }: Life) => order.token ?? null
const shown = <T>({ order }: Life, text: T): T | null => (order.hidden ? null : text)

function lifeOfChanges(changes: readonly ChangeRecord[]): Life {
  const moments: Moment[] = []
  for (const change of changes)
    moments.push({ change, order: foldOrder(moments.at(-1)?.order ?? null, change) })
  const outputs = changes.flatMap(({ evidence }) =>
    evidence?.node.status === 'ready' && evidence.node.output.status !== 'missing'
      ? (evidence.node.output.output ?? [])
      : [],
  )
  const last = outputs.at(-1)
  return {
    moments,
    order: moments.at(-1)!.order,
    firstLiveAt: changes.find(({ toState }) => toState === 'LIVE')?.observedAt ?? null,
    postage: last ? BigInt(last.valueSats) : null,
  }
}

function salesOf(lives: readonly Life[]): Sale[] {
  const sales = lives.flatMap((life) => {
    const settled = life.moments.filter(
      ({ change, order }) =>
        change.toState === 'SETTLED' && order.settlement && change.set.settlement,
    )
    return grouped(settled, ({ order }) => order.settlement!.txid).map((moments): Sale => {
      const txid = moments[0]!.order.settlement!.txid
      const { state, settlement } = life.order
      return {
        life,
        txid,
        soldAt: moments.map(({ order }) => order.settlement!.observedAt).sort()[0]!,
        settledAt: moments.map(({ change }) => change.observedAt).sort()[0]!,
        height:
          moments.filter(({ change }) => change.set.spend).at(-1)?.order.spend?.block?.height ??
          null,
        isTakenBack: !(state === 'SETTLED' && settlement?.txid === txid),
        isCounted: false,
      }
    })
  })
  const good = sales.filter(({ life, isTakenBack }) => !isTakenBack && life.firstLiveAt !== null)
  for (const twins of grouped(good, ({ life }) => life.order.outpoint)) {
    const born = ({ life }: Sale) => `${life.moments[0]!.change.observedAt} ${life.order.id}`
    twins.sort((a, b) => (born(a) < born(b) ? -1 : 1))[0]!.isCounted = true
  }
  return sales
}

/** What the sums have, with the texts that are shown of it. */
export const countedSales = (changes: readonly (readonly ChangeRecord[])[]) =>
  salesOf(changes.map(lifeOfChanges))
    .filter(({ isCounted }) => isCounted)
    .map(({ life, soldAt }) => ({
      sold_at: soldAt,
      protocol_id: shown(life, protocolOf(life)),
      token: shown(life, tokenOf(life)),
      price: priceOf(life),
      seller: life.order.sellerScriptHex ?? null,
    }))

/** Every statistic of the market for these lives, by the name of its view; rows in no order. */
export function naiveStatistics(
  changes: readonly (readonly ChangeRecord[])[],
): Record<string, Row[]> {
  const lives = changes.map(lifeOfChanges)
  const sales = salesOf(lives)
  const counted = sales.filter(({ isCounted }) => isCounted)
  return {
    stats_market: market(lives),
    stats_depth: depth(lives),
    stats_sales: sales.map(saleRow),
    stats_candles: ['hour', 'day', 'week'].flatMap((interval) => candles(counted, interval)),
    stats_inscription: lives.flatMap(inscriptionRows),
    stats_transaction: lives.flatMap(transactionRows),
    stats_sellers: sellers(lives, counted),
    stats_time_to_settle: timeToSettle(counted),
    stats_conflicts: conflicts(lives),
    stats_verdicts: verdicts(lives),
    stats_sources: sourceRows(lives),
    stats_book: everyBook(changes),
    named_heights: [...namedHeights(changes)].map(([height, at]) => ({ height, named_at: at })),
  }
}

const liveOnes = (lives: readonly Life[]): Life[] =>
  lives.filter(({ order }) => order.state === 'LIVE' && !order.hidden)

function market(lives: readonly Life[]): Row[] {
  return grouped(liveOnes(lives), (life) => [protocolOf(life), tokenOf(life)]).map((group) => {
    const asks = group.filter(({ order }) => order.side === 'ASK')
    const bids = group.filter(({ order }) => order.side === 'BID')
    const prices = (some: readonly Life[]) => some.flatMap((life) => priceOf(life) ?? [])
    return {
      protocol_id: protocolOf(group[0]!),
      token: tokenOf(group[0]!),
      live_asks: asks.length,
      live_bids: bids.length,
      live_outputs: new Set(group.map(({ order }) => order.outpoint)).size,
      floor_sats: sats(least(prices(asks))),
      best_bid_sats: sats(most(prices(bids))),
      asked_sats: sats(sum(prices(asks))),
    }
  })
}

function depth(lives: readonly Life[]): Row[] {
  const priced = liveOnes(lives).filter((life) => life.order.side && priceOf(life) !== null)
  const books = grouped(priced, (life) => [protocolOf(life), tokenOf(life), life.order.side])
  return books.flatMap((book) =>
    grouped(book, priceText).map((level) => {
      const [life] = level
      const price = priceOf(life!)!
      const better = book.filter((other) =>
        life!.order.side === 'ASK' ? priceOf(other)! <= price : priceOf(other)! >= price,
      )
      return {
        protocol_id: protocolOf(life!),
        token: tokenOf(life!),
        side: life!.order.side,
        price_sats: sats(price),
        orders: level.length,
        orders_up_to: better.length,
        sats_up_to: sats(sum(better.map((other) => priceOf(other)!))),
      }
    }),
  )
}

const priceText = (life: Life) => String(priceOf(life))

const saleRow = ({ life, txid, soldAt, settledAt, height, ...marks }: Sale): Row => ({
  order_id: life.order.id,
  outpoint: life.order.outpoint,
  txid,
  sold_at: soldAt,
  settled_at: settledAt,
  block_height: height,
  protocol_id: shown(life, protocolOf(life)),
  token: shown(life, tokenOf(life)),
  side: life.order.side ?? null,
  inscription_ids: life.order.assets.map(({ inscriptionId }) => inscriptionId),
  seller_script_hex: life.order.sellerScriptHex ?? null,
  gross_price_sats: sats(priceOf(life)),
  net_price_sats: sats(netOf(life)),
  postage_sats: sats(life.postage),
  first_live_at: life.firstLiveAt,
  is_taken_back: marks.isTakenBack,
  is_counted: marks.isCounted,
})

function startOf(interval: string, time: string): string {
  if (interval === 'hour') return `${time.slice(0, 13)}:00:00.000Z`
  const day = new Date(`${dayOf(time)}T00:00:00Z`)
  if (interval === 'week') day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7))
  return `${dayOf(day.toISOString())}T00:00:00.000Z`
}

function candles(counted: readonly Sale[], interval: string): Row[] {
  const priced = counted.filter(({ life }) => priceOf(life) !== null)
  const keyOf = ({ life, soldAt }: Sale) => [
    startOf(interval, soldAt),
    shown(life, protocolOf(life)),
    shown(life, tokenOf(life)),
  ]
  return grouped(priced, keyOf).map((group) => {
    const inTime = group.toSorted((a, b) =>
      `${a.soldAt} ${a.life.order.id}` < `${b.soldAt} ${b.life.order.id}` ? -1 : 1,
    )
    const prices = inTime.map(({ life }) => priceOf(life)!)
    const [start, protocol, token] = keyOf(group[0]!)
    return {
      interval,
      start,
      protocol_id: protocol,
      token,
      open_sats: sats(prices[0]),
      high_sats: sats(most(prices)),
      low_sats: sats(least(prices)),
      close_sats: sats(prices.at(-1)),
      volume_sats: sats(sum(prices)),
      sales: group.length,
    }
  })
}

function inscriptionRows(life: Life): Row[] {
  const { order } = life
  return order.assets.flatMap(({ inscriptionId }) =>
    life.moments
      .filter(({ change }) => change.kind === 'transition')
      .map(({ change }) => ({
        inscription_id: inscriptionId,
        order_id: order.id,
        seq: change.seq,
        observed_at: change.observedAt,
        from_state: change.fromState,
        to_state: change.toState,
        reason: change.reason,
        outpoint: order.outpoint,
        side: order.side ?? null,
        gross_price_sats: sats(priceOf(life)),
        net_price_sats: sats(netOf(life)),
        settlement_txid: change.set.settlement?.txid ?? null,
        is_taken_back:
          change.toState === 'SETTLED' &&
          !(order.state === 'SETTLED' && order.settlement?.txid === change.set.settlement?.txid),
      })),
  )
}

function transactionRows(life: Life): Row[] {
  const { order } = life
  return life.moments.flatMap(({ change }) => {
    const { spend, settlement } = change.set
    const named = new Set([spend?.txid, settlement?.txid].filter((txid) => txid !== undefined))
    return [...named].map((txid) => ({
      txid,
      order_id: order.id,
      seq: change.seq,
      observed_at: change.observedAt,
      did: settlement?.txid === txid ? 'sale' : 'spend',
      block_height: spend?.txid === txid ? (spend.block?.height ?? null) : null,
      from_state: change.fromState,
      to_state: change.toState,
      reason: change.reason,
      outpoint: order.outpoint,
      side: order.side ?? null,
      gross_price_sats: sats(priceOf(life)),
      net_price_sats: sats(netOf(life)),
      is_current: order.spend?.txid === txid,
    }))
  })
}

function sellers(lives: readonly Life[], counted: readonly Sale[]): Row[] {
  const asks = lives.filter(({ order }) => order.side === 'ASK')
  const settled = lives.filter(({ order }) => order.state === 'SETTLED')
  const bought = new Set(settled.map(({ order }) => order.outpoint))
  const events = [
    ...asks.flatMap((life) => {
      const { state, outpoint } = life.order
      const { observedAt } = life.moments[0]!.change
      const changes = life.moments.map(({ change }) => change)
      const since = changes.findLast(({ fromState, toState }) => fromState !== toState)!.observedAt
      return [
        { life, day: dayOf(observedAt), kind: 'listed' },
        ...(state === 'WITHDRAWN' ? [{ life, day: dayOf(since), kind: 'withdrawn' }] : []),
        ...(state === 'SPENT' && !bought.has(outpoint)
          ? [{ life, day: dayOf(since), kind: 'spent' }]
          : []),
      ]
    }),
    ...counted.map(({ life, soldAt }) => ({ life, day: dayOf(soldAt), kind: 'sold' })),
  ].filter(({ life }) => life.order.sellerScriptHex !== undefined)
  return grouped(events, ({ life, day }) => [day, life.order.sellerScriptHex]).map((group) => {
    const of = (kind: string) => group.filter((event) => event.kind === kind)
    return {
      day: group[0]!.day,
      seller_script_hex: group[0]!.life.order.sellerScriptHex,
      listed: of('listed').length,
      sold: of('sold').length,
      sold_sats: sats(sum(of('sold').map(({ life }) => priceOf(life) ?? 0n))),
      withdrawn: of('withdrawn').length,
      spent_elsewhere: of('spent').length,
    }
  })
}

const secondOf = (time: string): number => Math.floor(Date.parse(time) / 1_000)

function timeToSettle(counted: readonly Sale[]): Row[] {
  const timed = counted.flatMap((sale) => {
    const { firstLiveAt } = sale.life
    if (firstLiveAt === null) return []
    const seconds = secondOf(sale.soldAt) - secondOf(firstLiveAt)
    return seconds < 0 ? [] : [{ ...sale, seconds }]
  })
  const keyOf = ({ life, soldAt }: Sale) => [
    dayOf(soldAt),
    shown(life, protocolOf(life)),
    shown(life, tokenOf(life)),
  ]
  return grouped(timed, keyOf).map((group) => {
    const [day, protocol, token] = keyOf(group[0]!)
    const seconds = group.map((sale) => sale.seconds)
    return {
      day,
      protocol_id: protocol,
      token,
      sales: group.length,
      median_seconds: quantile(seconds, 0.5),
      p90_seconds: quantile(seconds, 0.9),
      longest_seconds: Math.max(...seconds),
    }
  })
}

function conflicts(lives: readonly Life[]): Row[] {
  const events = lives.flatMap(({ moments }) =>
    moments.flatMap(({ change, order }, index) => {
      const before = moments[index - 1]?.order
      const { fromState, toState, orderId } = change
      const kinds = []
      if (before?.spend && before.spend.txid !== order.spend?.txid)
        kinds.push(order.spend ? 'replacement' : 'release')
      if (toState === 'MEMPOOL_CONFLICTED' && fromState !== toState) kinds.push('conflict')
      if (fromState === 'SETTLED' && toState !== 'SETTLED') kinds.push('taken_back')
      return kinds.map((kind) => ({ day: dayOf(change.observedAt), kind, orderId }))
    }),
  )
  return grouped(events, ({ day, kind }) => [day, kind]).map((group) => ({
    day: group[0]!.day,
    kind: group[0]!.kind,
    events: group.length,
    orders: new Set(group.map(({ orderId }) => orderId)).size,
  }))
}

function verdicts(lives: readonly Life[]): Row[] {
  const given = lives
    .flatMap(({ moments }) => moments.map(({ change }) => change))
    .filter(
      ({ evidence, seq, toState }) => evidence !== null || (seq === 1 && toState === 'REJECTED'),
    )
  const keyOf = ({ observedAt, toState, reason }: ChangeRecord) => [
    dayOf(observedAt),
    toState,
    codeOf(reason),
  ]
  return grouped(given, keyOf).map((group) => {
    const [day, state, reason] = keyOf(group[0]!)
    const orders = new Set(group.map(({ orderId }) => orderId)).size
    return { day, state, reason, verdicts: group.length, orders }
  })
}

/** Reasons that say nothing against the order. */
const NO_ANSWER = [
  'made_room',
  'signature_unverifiable',
  'signature_beyond_bound',
  'too_many_inscriptions',
]

function fateOf({ order, firstLiveAt }: Life): string {
  if (firstLiveAt !== null) return 'valid'
  if (['MEMPOOL_CONFLICTED', 'SPENT', 'SETTLED'].includes(order.state)) return 'stale'
  if (order.state !== 'REJECTED') return 'undecided'
  const code = codeOf(order.reason)
  if (['outpoint_missing', 'bid_funding_spent'].includes(code)) return 'stale'
  return NO_ANSWER.includes(code) ? 'undecided' : 'fake'
}

function lagOf({ moments }: Life): number | null {
  const verdict = moments.find(({ change }) => change.evidence !== null)
  const [first] = moments
  return verdict
    ? Date.parse(verdict.change.observedAt) - Date.parse(first!.change.observedAt)
    : null
}

function sourceRows(lives: readonly Life[]): Row[] {
  const tellings = lives.flatMap((life) => {
    const day = dayOf(life.moments[0]!.change.observedAt)
    const kept = life.order.sources.map(({ source }) => source as string)
    const beyond = life.moments.flatMap(({ change: { set, seq, actor } }) =>
      seq > 1 && set.sourcesDropped !== undefined ? [actor.slice('import:'.length)] : [],
    )
    return [...kept, ...beyond].map((source, place) => ({ life, source, place, day }))
  })
  return grouped(tellings, ({ day, source }) => [day, source]).map((group) => {
    const orders = [...new Set(group.map(({ life }) => life))]
    const first = group.filter(({ place }) => place === 0)
    const lags = first.flatMap(({ life }) => lagOf(life) ?? [])
    const of = (fate: string) => orders.filter((life) => fateOf(life) === fate).length
    return {
      day: group[0]!.day,
      source: group[0]!.source,
      orders: orders.length,
      first_told: first.length,
      duplicates: group.length - first.length,
      valid: of('valid'),
      stale: of('stale'),
      fake: of('fake'),
      undecided: of('undecided'),
      median_lag_ms: quantile(lags, 0.5),
      longest_lag_ms: lags.length === 0 ? null : Math.max(...lags),
    }
  })
}
