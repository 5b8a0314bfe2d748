import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openOrderWorker } from '../../src/actors/order-worker.ts'
import { EmbeddedLog } from '../../src/adapters/embedded/log/log.ts'
import { type Devnet, openDevnet } from '../../src/devnet/devnet.ts'
import { completeAsk } from '../../src/devnet/people/trade.ts'
import { accountOf, type WalletCoin } from '../../src/devnet/people/wallet.ts'
import { outpointText } from '../../src/domain/chain/outpoint.ts'
import { partitionOf } from '../../src/domain/order/partition.ts'
import { auditStore } from '../../src/operator/audit/audit-store.ts'
import type { AuditReport, Invariant } from '../../src/operator/audit/report.ts'
import { Config } from '../../src/schemas/config/config.ts'
import {
  type CommandRecord,
  type EvidenceRecord,
  InboxRecord,
  LifecycleRecord,
  LOG_SCHEMA,
  type OrderSnapshot,
  SnapshotRecord,
  type SpendRecord,
  TOPICS,
  type WithdrawalProof,
} from '../../src/schemas/log.ts'
import type { OrderSummary } from '../../src/schemas/order.ts'
import type { OrderRecord } from '../../src/schemas/order-record.ts'
import type { OrderId, OutpointText } from '../../src/schemas/scalars.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { forged, type Standing, TamperedStore } from '../support/faults/tampered-store.ts'
import { toOrderId, toTxid } from '../support/ids.ts'
import { idleWorker } from '../support/log/idle-worker.ts'
import { type Market, openMarket } from '../support/market/market.ts'
import { spendAll } from '../support/market/trader.ts'
import { sellersProof, signedBy } from '../support/orders/withdrawals.ts'
import { systemClock } from '../support/system-clock.ts'

const PATIENCE_MS = 15_000
const PARTITIONS = 2
const POSTAGE = 10_000n

/**
 * A service that saw orders of several fates and was stopped: each test copies it and spoils the
 * copy.
 */
interface Base {
  dataDir: string
  live: string
  settled: string
  withdrawn: string
  /** Withdrawn by its seller. */
  givenBack: string
  rejected: string
  /** The last record of its partition. */
  last: string
}

let base: Base
let market: Market
/** The LIVE order. */
let offered: Imported
beforeAll(async () => {
  market = await openMarket({ ORDER_PARTITIONS: String(PARTITIONS) })
  const settled = await imported('sold')
  devnetOf(market).submit(purchase(devnetOf(market), settled.psbt))
  await market.orderUntil(settled.id, ({ state }) => state === 'MEMPOOL_CONFLICTED')
  devnetOf(market).mine(1)
  await market.orderUntil(settled.id, ({ state }) => state === 'SETTLED')
  const withdrawn = await imported('withdrawn')
  await withdraw(withdrawn, { by: 'operator', operator: 'mia' })
  const givenBack = await imported('given back')
  await withdraw(givenBack, { by: 'seller', proof: proofFor(givenBack, 'given back') })
  const rejected = await imported('lied', `${'0'.repeat(64)}i0`)
  offered = await imported('kept')
  const last = await fillers()
  await vi.waitFor(async () => expect(await historyIsWhole()).toBe(true), 10_000)
  await market.stop()
  base = {
    dataDir: market.dataDir,
    live: offered.id,
    settled: settled.id,
    withdrawn: withdrawn.id,
    givenBack: givenBack.id,
    rejected: rejected.id,
    last,
  }
})

afterAll(() => market.end())

const configOf = (dataDir: string) =>
  Config.parse({ DATA_DIR: dataDir, LOG_LEVEL: 'silent', ORDER_PARTITIONS: String(PARTITIONS) })

async function auditAfter(
  tamper: (store: TamperedStore) => Promise<void> | void,
): Promise<AuditReport> {
  const { dataDir, drop } = await TamperedStore.copyOf(base.dataDir, tamper)
  try {
    return await auditStore(configOf(dataDir))
  } finally {
    drop()
  }
}

describe('the audit of a stopped store', () => {
  test('is clean, with nothing skipped, when nothing was tampered with', async () => {
    const report = await auditAfter(() => {})
    expect(report.toString()).toMatch(/\nclean: every invariant holds$/)
  })

  test.each<[string, Invariant, (store: TamperedStore) => Promise<void> | void]>([
    [
      'the last change of an order is gone',
      'I1',
      (store) => {
        const last = store.changes(base.settled).at(-1)!
        store.remove(TOPICS.lifecycle, last.place)
      },
    ],
    [
      'the outcome of a command is gone',
      'I1',
      (store) => {
        const outcome = store
          .records(TOPICS.lifecycle)
          .find(({ value }) => isOutcomeOf(value, base.withdrawn))
        store.remove(TOPICS.lifecycle, outcome!.place)
      },
    ],
    [
      'an outcome names a missing change',
      'I1',
      (store) => {
        const { place, value } = store
          .records(TOPICS.lifecycle)
          .find(({ value }) => isOutcomeOf(value, base.rejected))!
        store.put(TOPICS.lifecycle, place, {
          ...(value as object),
          outcome: { status: 'done', seq: 99 },
        })
      },
    ],
    [
      'a change is there twice',
      'I2',
      (store) => {
        const { place, value } = store.changes(base.live).at(-1)!
        store.append(TOPICS.lifecycle, place[0], value)
      },
    ],
    [
      'one inbox record made two changes',
      'I2',
      (store) => {
        const { place, value } = store.changes(base.live).at(-1)!
        const again = forged(value, {
          seq: value.seq + 1,
          prevHash: value.hash,
          fromState: value.toState,
          kind: 'verified',
        })
        store.append(TOPICS.lifecycle, place[0], again)
      },
    ],
    [
      'a request was answered twice',
      'I2',
      (store) => {
        const { place, value } = store
          .records(TOPICS.lifecycle)
          .findLast(({ value }) => isOutcomeOf(value, base.live))!
        store.append(TOPICS.lifecycle, place[0], value)
      },
    ],
    [
      'a change in the middle is gone',
      'I3',
      (store) => {
        // After the outcome of its import, which would be reported missing first.
        store.remove(TOPICS.lifecycle, store.changes(base.settled).at(-2)!.place)
      },
    ],
    [
      'a change does not match its hash',
      'I3',
      (store) => {
        const { place, value } = store.changes(base.live).at(-1)!
        store.put(TOPICS.lifecycle, place, { ...value, reason: 'because' })
      },
    ],
    [
      'a change names another predecessor',
      'I3',
      (store) => {
        const { place, value } = store.changes(base.live).at(-1)!
        store.put(TOPICS.lifecycle, place, forged(value, { prevHash: 'ab'.repeat(32) }))
      },
    ],
    [
      'a record is not one of the lifecycle',
      'I3',
      (store) => {
        store.append(TOPICS.lifecycle, 0, { kind: 'something' })
      },
    ],
    [
      'an order left WITHDRAWN',
      'I4',
      (store) => {
        const { place, value } = store.changes(base.withdrawn).at(-1)!
        const back = forged(value, {
          seq: value.seq + 1,
          prevHash: value.hash,
          cause: { ...value.cause, offset: lastTaken(store, place[0]) },
          fromState: 'WITHDRAWN',
          toState: 'PENDING_NODE',
          set: { state: 'PENDING_NODE' },
        })
        store.append(TOPICS.lifecycle, place[0], back)
      },
    ],
    [
      'a view was edited',
      'I5',
      (store) => {
        const documents = store.documents<{ order: OrderRecord }>('view documents')
        const document = documents.get(base.live)!
        documents.putSync(base.live, {
          ...document,
          order: { ...document.order, quotedPriceSats: '1' },
        })
      },
    ],
    [
      'a view is gone',
      'I5',
      (store) => {
        store.documents('view documents').removeSync(base.live)
      },
    ],
    [
      'a view of an order that never existed',
      'I5',
      (store) => {
        const documents = store.documents<{ order: OrderRecord }>('view documents')
        const document = documents.get(base.live)!
        const id = toOrderId('ff'.repeat(32))
        documents.putSync(id, { ...document, order: { ...document.order, id } })
      },
    ],
    [
      'a row of the history is gone',
      'I6',
      (store) =>
        store.history(
          `ALTER TABLE market.order_transition_rows DELETE WHERE order_id = '${base.settled}' AND seq = 2 SETTINGS mutations_sync = 2`,
        ),
    ],
    [
      'a row of the history was added',
      'I6',
      (store) =>
        store.history(
          `INSERT INTO market.order_transition_rows SELECT * REPLACE (seq + 1 AS seq) FROM market.order_transition_rows FINAL WHERE order_id = '${base.live}' ORDER BY seq DESC LIMIT 1`,
        ),
    ],
    [
      'the activity log has another state',
      'I6',
      (store) =>
        store.history(
          `ALTER TABLE market.activity_rows UPDATE to_state = 'SPENT' WHERE order_id = '${base.settled}' AND to_state = 'SETTLED' SETTINGS mutations_sync = 2`,
        ),
    ],
    [
      'the snapshot of an order was edited',
      'I7',
      (store) => {
        const { place, value } = snapshotOf(store, base.live)
        store.put(TOPICS.snapshots, place, {
          ...value,
          order: { ...value.order, quotedPriceSats: '1' },
        })
      },
    ],
    [
      'the snapshot of an order is gone',
      'I7',
      (store) => {
        store.remove(TOPICS.snapshots, snapshotOf(store, base.live).place)
      },
    ],
    [
      'an actor waits for an answer to a question that was never asked',
      'I7',
      (store) => {
        const { place, value } = snapshotOf(store, base.live)
        store.put(TOPICS.snapshots, place, {
          ...value,
          order: { ...value.order, attempt: value.order.attempt + 1 },
        })
      },
    ],
    [
      'the inbox holds other evidence than an order was judged by',
      'I8',
      (store) => {
        // The evidence of the last verdict: an earlier one may have been discarded.
        const { cause } = store.changes(base.live).at(-1)!.value
        const judged = store
          .records(TOPICS.inbox)
          .find(
            ({ place: [, offset], value }) =>
              offset === cause.offset && isEvidenceOf(value, base.live),
          )!
        const record = judged.value as EvidenceRecord
        store.put(TOPICS.inbox, judged.place, { ...record, at: '2020-01-01T00:00:00.000Z' })
      },
    ],
    ['a watermark covers a block whose spend is not in the inbox', 'I9', loseASpend],
    [
      'an order is LIVE on a signature that was never found valid',
      'I10',
      (store) => {
        const { place, value } = store.changes(base.live).at(-1)!
        const { evidence } = value
        if (evidence?.node.status !== 'ready') throw new Error('the last change is a verdict')
        const signatures = evidence.node.signatures.map((one) => ({
          ...one,
          status: 'INVALID' as const,
        }))
        const node = { ...evidence.node, signatures }
        store.put(TOPICS.lifecycle, place, forged(value, { evidence: { ...evidence, node } }))
      },
    ],
    [
      'an order became LIVE without any evidence',
      'I10',
      (store) => {
        const { place, value } = store.changes(base.live).at(-1)!
        store.put(TOPICS.lifecycle, place, forged(value, { evidence: null }))
      },
    ],
    [
      'a withdrawal by the seller has no proof',
      'I10',
      (store) => {
        const { place, value } = store.changes(base.givenBack).at(-1)!
        const { proof: _, ...unproved } = value
        store.put(TOPICS.lifecycle, place, forged(unproved, {}))
      },
    ],
    [
      'a withdrawal by the seller has the proof of somebody else',
      'I10',
      (store) => {
        const { place, value } = store.changes(base.givenBack).at(-1)!
        const signature = signedBy(accountOf('a thief', 'p2tr'), value.proof?.message ?? '')
        const proof = { ...value.proof!, signature }
        store.put(TOPICS.lifecycle, place, forged(value, { proof }))
      },
    ],
    [
      'a withdrawal by the seller has the proof of another order',
      'I10',
      (store) => {
        const { place, value } = store.changes(base.givenBack).at(-1)!
        const other = { ...offered, outpoint: value.outpoint }
        const proof = proofFor(other, 'given back')
        store.put(TOPICS.lifecycle, place, forged(value, { proof }))
      },
    ],
    [
      'a withdrawal by an operator says not by whom',
      'I10',
      (store) => {
        const { place, value } = store.changes(base.withdrawn).at(-1)!
        const { operator: _, ...nameless } = value
        store.put(TOPICS.lifecycle, place, forged(nameless, {}))
      },
    ],
    [
      'a change stands in another partition',
      'I11',
      (store) => {
        const { place, value } = store.changes(base.live).at(-1)!
        store.append(TOPICS.lifecycle, (place[0] + 1) % PARTITIONS, value)
      },
    ],
    [
      'a spend was skipped by an offset that went ahead',
      'I12',
      (store) => {
        const { outpoint } = store.changes(base.live)[0]!.value
        const [partition, offset] = store.append(
          TOPICS.inbox,
          partitionOf(outpoint, PARTITIONS),
          spendOf(outpoint),
        )
        store.numbers('inbox offsets').putSync(partition, offset + 1)
      },
    ],
    [
      'an offset went back before its effects',
      'I12',
      (store) => {
        const { cause } = store.changes(base.live).at(-1)!.value
        store.numbers('inbox offsets').putSync(cause.partition, cause.offset)
      },
    ],
    [
      'the views claim to have more than there is',
      'I12',
      (store) => {
        store.numbers('view positions').putSync(0, 1_000_000)
      },
    ],
  ])('%s: %s', async (_fault, invariant, tamper) => {
    const report = await auditAfter(tamper)
    expect(report.violated, report.toString()).toEqual([invariant])
    expect(report.toString()).toMatch(new RegExp(`\\nviolated: ${invariant}$`))
  })

  test.each([
    ['rows at the end', ['order_transition_rows', 'activity_rows']],
    // A batch is written table by table, the activity first.
    ['rows at the end but for their activity', ['order_transition_rows']],
  ])('%s that the history lacks yet are not a fault, and are reported', async (_, tables) => {
    const report = await auditAfter((store) =>
      store.history(...tables.map((table) => `TRUNCATE TABLE market.${table}`)),
    )
    expect(report.isClean, report.toString()).toBe(true)
    expect(report.toString()).toMatch(/^note: the history is [0-9]+ changes behind the log$/m)
  })

  test('views that have not folded the end of the log yet are not a fault, and are reported', async () => {
    const report = await auditAfter((store) => {
      const [partition, offset] = store.changes(base.last)[0]!.place
      store.numbers('view positions').putSync(partition, offset)
      store.documents('view documents').removeSync(base.last)
    })
    expect(report.isClean, report.toString()).toBe(true)
    expect(report.toString()).toMatch(/^note: the views are [0-9]+ changes behind the log$/m)
  })

  test('a partition whose inbox was trimmed is reported as skipped, only by the replay', async () => {
    const report = await auditAfter((store) => {
      const [first] = store.records(TOPICS.inbox)
      store.remove(TOPICS.inbox, first!.place)
    })
    expect(report.isClean, report.toString()).toBe(true)
    expect(report.skipped).toEqual(['I8'])
    expect(report.toString()).toMatch(/\nclean as far as checked; skipped: I8$/)
  })

  test('what the node learned after the service was stopped is not a fault', async () => {
    const report = await auditAfter(async ({ dataDir }) => {
      const devnet = openDevnet({
        dataDir: join(dataDir, 'devnet'),
        clock: systemClock,
        network: 'regtest',
      })
      devnet.submit(purchase(devnet, offered.psbt))
      devnet.mine(1)
      await devnet.close()
    })
    expect(report.toString()).toMatch(/\nclean: every invariant holds$/)
  })

  test('an output that the mempool makes and spends is unknown to the node, and a conflict', async () => {
    const other = await openMarket({ ORDER_PARTITIONS: String(PARTITIONS) })
    try {
      const seller = accountOf('unconfirmed', 'p2wpkh')
      const outpoint = devnetOf(other).fund(seller.address, POSTAGE, { confirm: false })
      const coin = { outpoint, scriptHex: seller.scriptHex, valueSats: String(POSTAGE) }
      const payout = { scriptHex: seller.scriptHex, valueSats: '50000' }
      const { body } = await other.post('orders/import', { psbt: seller.ask(coin, payout) })
      const { id, state } = body as OrderSummary
      expect(state).toBe('PENDING_ASSET')
      devnetOf(other).submit(spendAll([coin], seller, [{ ...payout, valueSats: '9000' }]))
      await other.orderUntil(id, (order) => order.state === 'MEMPOOL_CONFLICTED')
      await other.stop()
      const report = await auditStore(configOf(other.dataDir))
      expect(report.violations).toEqual([])
    } finally {
      await other.end()
    }
  })

  test('a folder without a store is refused, and stays as it was', async () => {
    const { path, drop } = temporaryDirectory()
    await expect(auditStore(configOf(path))).rejects.toThrow(`there is no store in ${path}`)
    expect(readdirSync(path)).toEqual([])
    drop()
  })
})

// ---- the service before it was stopped
// -----------------------------------------------------------

interface Imported {
  id: OrderId
  psbt: string
  outpoint: OutpointText
}

function devnetOf({ authorities }: Market): Devnet {
  if (!authorities.devnet) throw new Error('this test needs the devnet')
  return authorities.devnet
}

async function imported(label: string, claimedInscription?: string): Promise<Imported> {
  const seller = accountOf(label, 'p2tr')
  const content = { contentType: 'text/plain', body: Buffer.from(label), postage: POSTAGE }
  const { inscriptionId, outpoint } = devnetOf(market).inscribe(seller.address, content)
  const psbt = seller.ask(
    { outpoint, scriptHex: seller.scriptHex, valueSats: String(POSTAGE) },
    { scriptHex: seller.scriptHex, valueSats: '50000' },
  )
  const asset = { inscriptionId: claimedInscription ?? inscriptionId, outpoint }
  const { status, body } = await market.post('orders/import', { psbt, asset })
  expect(status, JSON.stringify(body)).toBe(201)
  return { id: (body as OrderSummary).id, psbt, outpoint: outpointText(outpoint) }
}

/** An order at the end of each partition: removing earlier ones does not shorten the log. */
async function fillers(): Promise<string> {
  const filled = new Set<number>()
  for (let n = 0; ; n += 1) {
    const { id, outpoint } = await imported(`filler ${n}`)
    filled.add(partitionOf(outpoint, PARTITIONS))
    if (filled.size === PARTITIONS) return id
  }
}

function purchase(devnet: Devnet, psbt: string): string {
  const buyer = accountOf('buyer', 'p2wpkh')
  const fund = (sats: bigint): WalletCoin => ({
    outpoint: devnet.fund(buyer.address, sats),
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

function proofFor({ id: orderId, outpoint }: Imported, label: string): WithdrawalProof {
  const seller = accountOf(label, 'p2tr')
  const at = new Date().toISOString()
  const sign = (message: string) => signedBy(seller, message)
  return sellersProof({ orderId, outpoint, scriptHex: seller.scriptHex, at, sign })
}

type By = { by: 'seller'; proof: WithdrawalProof } | { by: 'operator'; operator: string }

async function withdraw({ id, outpoint }: Imported, by: By): Promise<void> {
  const { log, views } = market.stores
  const requestId = randomUUID()
  const value: CommandRecord = {
    schema: LOG_SCHEMA,
    kind: 'command',
    command: 'withdraw',
    ...by,
    requestId,
    orderId: id,
    outpoint,
    at: new Date().toISOString(),
  }
  const partition = partitionOf(outpoint, PARTITIONS)
  await log.append([{ topic: TOPICS.inbox, partition, key: outpoint, value }])
  const stored = await views.waitForOutcome(requestId, AbortSignal.timeout(10_000))
  expect(stored?.outcome.status).toBe('done')
}

async function historyIsWhole(): Promise<boolean> {
  const rows = new Map<string, number>()
  for await (const { orderId, maxSeq } of market.stores.history.summary()) rows.set(orderId, maxSeq)
  for await (const { id, seq } of market.stores.views.all()) if (rows.get(id) !== seq) return false
  return true
}

// ---- what a tampered store holds
// -----------------------------------------------------------------

const isOutcomeOf = (value: unknown, orderId: string): boolean =>
  LifecycleRecord.parse(value).kind === 'outcome' &&
  LifecycleRecord.parse(value).orderId === orderId

const isEvidenceOf = (value: unknown, orderId: string): boolean => {
  const record = InboxRecord.parse(value)
  return record.kind === 'evidence' && record.orderId === orderId
}

function snapshotOf(store: TamperedStore, orderId: string): Standing<OrderSnapshot> {
  for (const { place, value } of store.records(TOPICS.snapshots)) {
    const snapshot = SnapshotRecord.parse(value)
    if (snapshot.kind === 'order' && snapshot.order.id === orderId)
      return { place, value: snapshot }
  }
  throw new Error(`${orderId} has no snapshot`)
}

/** The last consumed inbox record of a partition: later ones caused no change. */
const lastTaken = (store: TamperedStore, partition: number): number =>
  (store.numbers('inbox offsets').get(partition) ?? 0) - 1

const spendOf = (outpoint: OutpointText): SpendRecord => ({
  schema: LOG_SCHEMA,
  kind: 'spend',
  change: 'seen',
  outpoint,
  spend: {
    txid: toTxid('ab'.repeat(32)),
    inputIndex: 0,
    unsignedTxid: toTxid('ab'.repeat(32)),
    pairedOutput: null,
    block: null,
  },
  at: new Date().toISOString(),
})

/** Spends the coin of the LIVE order, and tells every partition that nothing happened. */
async function loseASpend(tampered: TamperedStore): Promise<void> {
  const { dataDir, store } = tampered
  const devnet = openDevnet({
    dataDir: join(dataDir, 'devnet'),
    clock: systemClock,
    network: 'regtest',
  })
  devnet.submit(purchase(devnet, offered.psbt))
  devnet.mine(1)
  const { height, hash, medianTime } = (await devnet.node.chain()).tip
  await devnet.close()
  const log = await EmbeddedLog.open({ store, clock: systemClock, partitions: PARTITIONS })
  await log.append(
    tampered.watermarks().map(([partition, last]) => ({
      topic: TOPICS.inbox,
      partition,
      key: '',
      value: { ...last, n: last.n + 1, tip: { height, hash, medianTime } },
    })),
  )
  const stop = new AbortController()
  const done = log.processInbox(openOrderWorker(idleWorker(PARTITIONS)), stop.signal)
  await vi.waitFor(async () => {
    for (let partition = 0; partition < PARTITIONS; partition += 1) {
      expect(await log.consumed(partition)).toBe(await log.end(TOPICS.inbox, partition))
    }
  }, PATIENCE_MS)
  stop.abort()
  await done
}
