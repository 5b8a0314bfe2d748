import { describe, expect, test } from 'vitest'
import type { Evidence } from '../../src/schemas/evidence.ts'
import type { InboxRecord } from '../../src/schemas/log.ts'
import { toOutpointText } from '../support/ids.ts'
import { watermark } from '../support/log/watermarks.ts'
import {
  commandOf,
  importOf,
  outputNews,
  replayOf,
  spendNews,
  WorkerHost,
} from '../support/log/worker-host.ts'
import {
  AT,
  askClaim,
  evidenceOf,
  hash,
  nodeSays,
  OUTPOINT,
  OUTPUT_BLOCK,
  signatureOf,
  spendBlock,
  spendBy,
  TIP_HEIGHT,
} from '../support/orders/evidence.ts'
import { ORDER_ID } from '../support/orders/orders.ts'

const claim = askClaim()
const thief = spendBy('thief', { block: spendBlock(), pairedOutput: null })
const ELSEWHERE = toOutpointText(`${hash('elsewhere')}:1`)

const secondsOn = (seconds: number) => new Date(Date.parse(AT) + seconds * 1_000).toISOString()
const begunAt = (n: number, epoch = 1): Evidence => evidenceOf({ begunAt: { epoch, n } })
const imported = (evidence: Evidence) => importOf(claim, 'import', ORDER_ID, evidence)

async function hostAfter(...records: InboxRecord[]): Promise<WorkerHost> {
  const host = new WorkerHost()
  await host.tell(records, 1)
  return host
}

/** Nobody asked anything: the gateway's evidence was the verdict. */
function expectLive(host: WorkerHost): void {
  expect(host.questions).toEqual([])
  expect(host.order()).toMatchObject({ state: 'LIVE', pending: null, seq: 2 })
}

/** As if the gateway had sent none. */
function expectAsked(host: WorkerHost): void {
  expect(host.takeQuestions()).toMatchObject([{ orderId: ORDER_ID, outpoint: OUTPOINT }])
  expect(host.order().state).toBe('PENDING_NODE')
}

describe('evidence of a gateway', () => {
  test('makes an order LIVE in the step that creates it, and answers the import', async () => {
    const host = await hostAfter(watermark(3), imported(begunAt(3)))
    expectLive(host)
    expect(host.changes).toMatchObject([
      { toState: 'PENDING_NODE', cause: { offset: 1, requestId: 'import' }, evidence: null },
      { fromState: 'PENDING_NODE', toState: 'LIVE', cause: { offset: 1, told: 1 } },
    ])
    expect(host.changes[1]?.evidence).toEqual(begunAt(3))
    expect(host.outcomeOf('import')).toEqual({ status: 'done', seq: 2 })
  })

  test('is a verdict like any other: what does not hold is rejected', async () => {
    const signature = {
      ...signatureOf(claim),
      status: 'INVALID',
      reason: 'signature_invalid',
    } as const
    const refuted = { ...begunAt(3), node: nodeSays({ signatures: [signature] }) }
    const host = await hostAfter(watermark(3), imported(refuted))
    expect(host.order()).toMatchObject({ state: 'REJECTED', pending: null })
    expect(host.questions).toEqual([])
  })

  test('makes the order as fresh as the watermark after which it was asked', async () => {
    const host = await hostAfter(watermark(3), watermark(4), imported(begunAt(3)))
    expectLive(host)
    expect(host.order().anchor?.watermark).toEqual({ epoch: 1, n: 3 })
  })

  test('counts after news of other outputs, and of its own before it was asked', async () => {
    const host = await hostAfter(
      watermark(3),
      spendNews('seen', thief),
      spendNews('dropped', thief),
      watermark(4),
      spendNews('seen', thief, ELSEWHERE),
      imported(begunAt(4)),
    )
    expectLive(host)
  })

  test.each<[string, InboxRecord[]]>([
    ['its output was spent since', [watermark(3), spendNews('seen', thief)]],
    ['its output was confirmed since', [watermark(3), outputNews('confirmed', OUTPUT_BLOCK)]],
    [
      'its output was spent before a later watermark',
      [watermark(3), spendNews('seen', thief), watermark(4)],
    ],
    ['ingest or the node began again since', [watermark(3), watermark(0, { epoch: 2 })]],
    ['ingest began again, and counts as far', [watermark(3), watermark(3, { epoch: 2 })]],
    ['a watermark is missing', [watermark(3), watermark(5)]],
    ['news was lost', [watermark(3), watermark(4, { lost: 'all' })]],
    ['the index left its chain', [watermark(3), watermark(4, { lost: { aboveHeight: 1 } })]],
    ['the chain was reorganised', [watermark(3), watermark(4, { forkHeight: TIP_HEIGHT - 1 })]],
    ['it is too old', [3, 4, 5, 6, 7].map((n) => watermark(n))],
    ['no watermark was consumed', []],
    ['the partition is not as far', [watermark(2)]],
  ])('is not used if %s', async (_, records) => {
    expectAsked(await hostAfter(...records, imported(begunAt(3))))
  })

  test('is not used without the watermark after which it was asked', async () => {
    expectAsked(await hostAfter(watermark(3), imported(evidenceOf({ begunAt: null }))))
  })

  test('is not used if more came since than the partition remembers', async () => {
    const news = Array.from({ length: 4_097 }, (_, vout) =>
      spendNews('seen', thief, toOutpointText(`${hash('busy')}:${vout}`)),
    )
    expectAsked(await hostAfter(watermark(3), ...news, imported(begunAt(3))))
  })

  test('of an order that exists is not used', async () => {
    const host = await hostAfter(watermark(3), importOf(claim, 'first'))
    host.takeQuestions()
    const second = importOf(askClaim({ wrapper: 'two' }), 'second', ORDER_ID, begunAt(3))
    await host.tell([second])
    expect(host.order().state).toBe('PENDING_NODE')
  })

  test('is not used after a restart if its output was spent before', async () => {
    for (const batch of [1, 2, 200]) {
      const host = new WorkerHost()
      await host.tell([watermark(3), spendNews('seen', thief)], batch)
      host.die()
      await host.tell([imported(begunAt(3))], batch)
      expectAsked(host)
    }
  })

  test('is used after a restart if nothing came', async () => {
    const host = await hostAfter(watermark(3), spendNews('seen', thief, ELSEWHERE))
    host.die()
    await host.tell([imported(begunAt(3))])
    expectLive(host)
  })

  test('is not used after a gap in the inbox', async () => {
    const host = await hostAfter(watermark(3))
    host.die()
    host.hasGap = true
    await host.tell([imported(begunAt(3))])
    expectAsked(host)
  })

  test('is judged alike by a replay, however the inbox is cut', async () => {
    const host = await hostAfter(
      watermark(3),
      spendNews('seen', thief, ELSEWHERE),
      imported(begunAt(3)),
      watermark(4),
      spendNews('seen', thief),
      commandOf('revalidate', 'again'),
    )
    for (const batch of [1, 3, 200]) {
      const replay = await replayOf(host, batch)
      expect(replay.lifecycle).toEqual(host.lifecycle)
      expect(replay.partition).toEqual(host.partition)
    }
  })

  test('is followed by news like any verdict', async () => {
    const host = await hostAfter(watermark(3), imported(begunAt(3)), spendNews('seen', thief))
    expect(host.order().state).toBe('MEMPOOL_CONFLICTED')
  })

  test('is checked by the sweep with the next watermark, and again by a new owner for two minutes', async () => {
    const later = (seconds: number) => watermark(4 + seconds, { at: secondsOn(seconds) })
    const host = await hostAfter(watermark(3), imported(begunAt(3)), watermark(4))
    expect(host.swept).toEqual([[ORDER_ID]])
    host.die()
    await host.tell([later(1)])
    expect(host.swept).toEqual([[ORDER_ID], [ORDER_ID]])
    await host.tell([later(2)])
    host.die()
    await host.tell([later(3)])
    expect(host.swept).toHaveLength(3)
    await host.tell([later(130), later(260)])
    host.die()
    await host.tell([later(261)])
    expect(host.swept).toHaveLength(3)
    expect(host.partition?.vouched).toBeUndefined()
  })

  test('of an order that an import without evidence made is nothing for the sweep', async () => {
    const host = new WorkerHost()
    await host.tell([watermark(3), importOf(claim, 'import')])
    await host.answerAll(() => begunAt(3))
    await host.tell([watermark(4)])
    expect(host.order().state).toBe('LIVE')
    expect(host.swept).toEqual([])
  })
})

test('news that a step has committed is not owed again', async () => {
  const host = await hostAfter(watermark(3))
  const worker = await host.open()
  const news = spendNews('seen', thief, ELSEWHERE)
  const { owed } = await worker.step([{ partition: 0, offset: 1, value: news }])
  expect(owed).toHaveLength(1)
  worker.committed()
  await worker.step([{ partition: 0, offset: 2, value: importOf(claim, 'import') }])
  worker.committed()
  expect((await worker.step([{ partition: 0, offset: 3, value: news }])).owed).toEqual([])
})
