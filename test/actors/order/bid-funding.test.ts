import { describe, expect, test } from 'vitest'
import { awaitsFunding, isUnsettled } from '../../../src/domain/order/due.ts'
import { MAX_TOUCHED, packTouched, touchedName } from '../../../src/domain/order/touched.ts'
import { REASONS } from '../../../src/domain/reasons/reasons.ts'
import type { Evidence, OutputEvidence } from '../../../src/schemas/evidence.ts'
import type { Watermark } from '../../../src/schemas/log.ts'
import { OrderState } from '../../../src/schemas/scalars.ts'
import { toOutpointText } from '../../support/ids.ts'
import { watermark } from '../../support/log/watermarks.ts'
import { commandOf, importOf, replayOf, WorkerHost } from '../../support/log/worker-host.ts'
import {
  AT,
  bidClaim,
  blockAt,
  evidenceOf,
  FUNDING,
  hash,
  indexAway,
  MEDIAN_TIME,
  MISSING,
  nodeAway,
  nodeSays,
  OUTPUT_BLOCK,
  signatureOf,
  TIP_HEIGHT,
  unspent,
} from '../../support/orders/evidence.ts'
import { withoutWork } from '../../support/orders/life.ts'
import { liveOrder } from '../../support/orders/orders.ts'

const coin = (name: string) => toOutpointText(`${hash(name)}:0`)
const touching = (...texts: string[]) => ({ touched: packTouched(texts.map(touchedName)) })
/** What the node says of the coins, by outpoint: unspent, unless set otherwise. */
type Coins = Record<string, OutputEvidence>

const bidOf = (name: string, funding = [coin(name)]) =>
  bidClaim({ wrapper: name, offer: { funding } })
const idOf = (name: string) => hash(`bid ${name}`)

/** A partition with LIVE bids, and a node that answers about their coins. */
class Bids extends WorkerHost {
  coins: Coins = {}
  nodeIsAway = false
  #n = 0

  static async of(names: readonly string[], funding = (name: string) => [coin(name)]) {
    const host = new Bids()
    await host.mark()
    await host.tell(names.map((name) => importOf(bidOf(name, funding(name)), name, idOf(name))))
    await host.answer()
    for (const name of names) expect(host.order(idOf(name)).state).toBe('LIVE')
    host.takeQuestions()
    return host
  }

  /** The next watermark; by itself it names nothing. */
  async mark(changes: Partial<Watermark> = {}): Promise<void> {
    const n = this.#n
    this.#n += 1
    await this.tell([watermark(n, changes)])
  }

  async answer(): Promise<void> {
    await this.answerAll(({ claims }) => this.evidence(claims))
  }

  evidence(claims: readonly ReturnType<typeof bidClaim>[]): Evidence {
    if (this.nodeIsAway) return evidenceOf({ node: nodeAway(), index: indexAway() })
    const [first] = claims
    const signatures = claims.map((claim) => signatureOf(claim))
    const funding = (first?.offer.funding ?? []).map((outpoint) => ({
      outpoint,
      output: this.coins[outpoint] ?? unspent({ output: FUNDING }),
      signature: 'VALID' as const,
    }))
    return evidenceOf({ node: nodeSays({ signatures, funding }) })
  }

  asked = () => this.takeQuestions().map(({ orderId }) => orderId)
  of = (name: string) => this.order(idOf(name))
}

const spent: OutputEvidence = {
  status: 'spent',
  confirmed: false,
  output: FUNDING,
  block: null,
  by: null,
}
const at = (seconds: number) => ({ at: new Date(Date.parse(AT) + seconds * 1_000).toISOString() })
const REJECTED = { state: 'REJECTED', reason: 'bid_funding_spent' }

describe('a LIVE bid', () => {
  test('is verified at the watermark that names an output which pays for it, and no other is', async () => {
    const host = await Bids.of(['a', 'b'])
    host.coins[coin('a')] = spent
    await host.mark(touching(coin('a'), coin('of nobody')))
    // Until the answer, its partition does not vouch for it.
    expect(host.of('a')).toMatchObject({ state: 'LIVE', anchor: { watermark: null } })
    expect(host.questions.map(({ orderId }) => orderId)).toEqual([idOf('a')])
    await host.answer()
    expect(host.of('a')).toMatchObject(REJECTED)
    expect(host.of('b').state).toBe('LIVE')
  })

  test('gets the news of each of its outputs', async () => {
    const coins = Array.from({ length: 16 }, (_, n) => coin(`coin ${n}`))
    const host = await Bids.of(['a'], () => coins)
    for (const one of coins) {
      await host.mark(touching(one))
      expect(host.asked()).toEqual([idOf('a')])
      host.die()
      await host.open()
      await host.answer()
      expect(host.of('a').state).toBe('LIVE')
    }
  })

  test('gets the news that the transaction that makes its output is gone', async () => {
    const host = await Bids.of(['a'])
    host.coins[coin('a')] = MISSING
    await host.mark(touching(hash('a')))
    await host.answer()
    expect(host.of('a')).toMatchObject(REJECTED)
  })

  test('that was verified while its output was spent is asked about again', async () => {
    const host = await Bids.of(['a'])
    await host.tell([commandOf('revalidate', 'again', idOf('a'))])
    const [question] = host.takeQuestions()
    const before = host.evidence(question!.claims)
    host.coins[coin('a')] = spent
    await host.mark(touching(coin('a')))
    host.questions.push(question!)
    await host.answerAll(({ attempt, claims }) =>
      attempt === question!.attempt ? before : host.evidence(claims),
    )
    expect(host.of('a')).toMatchObject(REJECTED)
  })

  test('is judged later when the node was unavailable', async () => {
    const host = await Bids.of(['a'])
    host.coins[coin('a')] = spent
    host.nodeIsAway = true
    await host.mark(touching(coin('a')))
    await host.answer()
    expect(host.of('a')).toMatchObject({ state: 'LIVE', anchor: { watermark: null } })
    host.nodeIsAway = false
    await host.mark()
    await host.answer()
    expect(host.of('a')).toMatchObject(REJECTED)
  })

  test('is watched by a host that takes its partition over', async () => {
    const host = await Bids.of(['a'])
    host.die()
    host.coins[coin('a')] = spent
    await host.mark(touching(coin('a')))
    await host.answer()
    expect(host.of('a')).toMatchObject(REJECTED)
  })

  test('causes no record and no question in a day of news about others', async () => {
    const host = await Bids.of(['a', 'b', 'c'])
    const { length } = host.lifecycle
    for (let second = 15; second <= 86_400; second += 15)
      await host.mark({ ...at(second), ...touching(coin(`other ${second}`), hash(`${second}`)) })
    expect(host.lifecycle).toHaveLength(length)
    expect(host.asked()).toEqual([])
  })

  test('is verified where too much was touched to be named', async () => {
    const host = await Bids.of(['a', 'b'])
    const names = Array.from({ length: MAX_TOUCHED + 1 }, (_, n) => n)
    expect(packTouched(names)).toBe('all')
    await host.mark({ touched: packTouched(names) })
    expect(host.asked().sort()).toEqual([idOf('a'), idOf('b')].sort())
  })
})

describe('a bid whose funding is gone', () => {
  async function rejected() {
    const host = await Bids.of(['a'])
    host.coins[coin('a')] = spent
    await host.mark(touching(coin('a')))
    await host.answer()
    return host
  }

  test('is asked about once more, since no news may have named what spends it', async () => {
    const host = await rejected()
    expect(host.of('a').anchor).toMatchObject({ unheard: true })
    await host.mark(at(60))
    expect(host.asked()).toEqual([idOf('a')])
    host.die()
    await host.open()
    await host.answer()
    const { length } = host.lifecycle
    for (let hour = 1; hour <= 48; hour += 1) await host.mark(at(hour * 3_600))
    expect(host.asked()).toEqual([])
    expect(host.lifecycle).toHaveLength(length)
  })

  test('is LIVE again at the watermark that names what came back', async () => {
    const host = await rejected()
    await host.mark(at(60))
    await host.answer()
    host.coins = {}
    await host.mark({ ...at(120), ...touching(coin('a')) })
    await host.answer()
    expect(host.of('a').state).toBe('LIVE')
  })
})

describe('a reorg', () => {
  const reorg = (forkHeight: number) => ({
    forkHeight,
    tip: { ...blockAt(TIP_HEIGHT), medianTime: MEDIAN_TIME },
  })

  test('has the bids verified whose verdict rests on a lost block, and no others', async () => {
    const host = await Bids.of(['a'])
    await host.mark(reorg(TIP_HEIGHT))
    expect(host.asked()).toEqual([])
    await host.mark(reorg(TIP_HEIGHT - 1))
    expect(host.asked()).toEqual([idOf('a')])
  })

  test('that takes back the block of a spend brings the bid back', async () => {
    const host = await Bids.of(['a'])
    host.coins[coin('a')] = MISSING
    await host.mark(touching(coin('a')))
    await host.answer()
    expect(host.of('a')).toMatchObject(REJECTED)
    host.coins = {}
    await host.mark(reorg(TIP_HEIGHT - 1))
    await host.answer()
    expect(host.of('a').state).toBe('LIVE')
  })
})

test('every bid that is watched is unsettled, so that the next owner of its partition finds it', () => {
  const verdicts = OrderState.options.flatMap((state) =>
    Object.entries(REASONS)
      .filter(([, { states }]) => (states as readonly string[]).includes(state))
      .map(([reason]) => ({ state, reason })),
  )
  const anchored = liveOrder().anchor
  const bids = verdicts.flatMap((verdict) =>
    [true, false].flatMap((metadataFixed) =>
      [null, OUTPUT_BLOCK].flatMap((outputBlock) =>
        [null, anchored].map((anchor) =>
          liveOrder({ ...verdict, metadataFixed, proved: true, outputBlock, anchor }, bidClaim()),
        ),
      ),
    ),
  )
  const watched = bids.filter(awaitsFunding)
  expect(new Set(watched.map(({ state }) => state))).toEqual(
    new Set(['PENDING_NODE', 'PENDING_ASSET', 'LIVE', 'MEMPOOL_CONFLICTED', 'REJECTED']),
  )
  for (const bid of watched) expect(isUnsettled(bid), `${bid.state} ${bid.reason}`).toBe(true)
})

test('news of its funding no longer affects a bid that has ended', async () => {
  const host = await Bids.of(['a'])
  await host.tell([commandOf('withdraw', 'no more', idOf('a'))])
  await host.mark(touching(coin('a')))
  expect(host.asked()).toEqual([])
})

test('a replay of the partition gives the same bids, wherever its batches end', async () => {
  const names = Array.from({ length: 12 }, (_, n) => `bid ${n}`)
  const host = await Bids.of(names)
  for (const [n, name] of names.entries()) {
    if (n % 3 === 0) host.coins[coin(name)] = spent
    await host.mark({ ...at(n), ...touching(coin(name)) })
    await host.answer()
  }
  for (const batch of [1, 7, 500]) {
    const again = await replayOf(host, batch)
    expect(again.orders.map(withoutWork)).toEqual(host.orders.map(withoutWork))
    expect(again.lifecycle).toEqual(host.lifecycle)
  }
})
