import { pino } from 'pino'
import { beforeEach, describe, expect, test } from 'vitest'
import { kafkaAway } from '../../../src/adapters/kafka/client/errors.ts'
import { storageTrouble } from '../../../src/adapters/redis/client/errors.ts'
import { NodeUnavailableError } from '../../../src/ports/authorities/authority-errors.ts'
import { UnavailableError } from '../../../src/ports/base-errors.ts'
import {
  RecordTooLargeError,
  StorageUnavailableError,
} from '../../../src/ports/log/storage-errors.ts'
import { HistoryLostRowsError, HistoryUnavailableError } from '../../../src/ports/views/history.ts'
import { Closer } from '../../../src/roles/context/closer.ts'
import { faultReporter } from '../../../src/roles/context/fault-reporter.ts'
import { Outages } from '../../../src/roles/context/outages.ts'
import { openMetrics } from '../../../src/roles/observe/metrics.ts'
import { ManualClock } from '../../support/manual-clock.ts'

const REFUSED = new NodeUnavailableError('node_unavailable', 'connect ECONNREFUSED')
const HANGS = new Promise<never>(() => {})

let world: ReturnType<typeof open>
beforeEach(() => {
  world = open()
})

function open() {
  const lines: Record<string, unknown>[] = []
  const logger = pino({ level: 'info' }, { write: (line) => lines.push(JSON.parse(line)) })
  const clock = new ManualClock()
  const closer = new Closer()
  const metrics = openMetrics()
  const outages = new Outages({ clock, logger, closer, metrics })
  const report = faultReporter({ logger, closer, metrics, outages })
  const figure = async (name: string, label = '', value?: string) =>
    (await metrics.registry.getSingleMetric(name)?.get())?.values.find(
      ({ labels }) => labels[label] === value,
    )?.value
  let answer: () => Promise<unknown> = async () => 'there'
  const settle = async () => {
    for (let turn = 0; turn < 20; turn += 1) await clock.turn()
  }
  return {
    ...{ lines, clock, closer, outages, report, settle },
    answers: (next: () => Promise<unknown>) => {
      answer = next
    },
    watch: async () => {
      outages.watch('node', () => answer())
      await settle()
    },
    /** Time passes, in steps shorter than any wait. */
    pass: async (ms: number) => {
      for (let passed = 0; passed < ms; passed += 250) {
        clock.advance(250)
        await settle()
      }
    },
    texts: () => lines.map(({ msg }) => msg),
    faults: (part: string) => figure('market_faults_total', 'part', part),
    losses: () => figure('market_history_losses_total'),
    isUp: (part = 'node') => figure('market_dependency_up', 'dependency', part),
  }
}

describe('a part that goes away', () => {
  test('is one line when it goes and one when it is back, with the time and the failures between', async () => {
    const { answers, watch, pass, lines, report, isUp, faults } = world
    await watch()
    expect([await isUp(), lines]).toEqual([1, []])
    answers(() => Promise.reject(REFUSED))
    await pass(60_000)
    for (let call = 0; call < 500; call += 1) report('verifier', REFUSED, 'recovered from error')
    await pass(2_000)
    expect(lines).toMatchObject([{ level: 50, part: 'node', msg: 'a part is away' }])
    expect(lines[0]).toMatchObject({ err: { message: 'connect ECONNREFUSED' } })
    expect(await isUp()).toBe(0)
    answers(async () => 'there')
    await pass(2_000)
    expect(lines).toHaveLength(2)
    expect(lines[1]).toMatchObject({ level: 30, part: 'node', msg: 'a part is back' })
    expect(lines[1]?.['awayMs']).toBeGreaterThanOrEqual(58_000)
    expect(lines[1]?.['failures']).toBeGreaterThanOrEqual(525)
    expect(await isUp()).toBe(1)
    expect(await faults('verifier')).toBe(500)
    expect(await faults('node')).toBeGreaterThanOrEqual(527)
  })

  test('hangs: no answer is a failure', async () => {
    const { answers, watch, pass, lines } = world
    await watch()
    answers(() => HANGS)
    await pass(12_000)
    expect(lines).toMatchObject([
      { part: 'node', msg: 'a part is away', err: { message: 'no answer within 3000 ms' } },
    ])
  })

  test('is asked at once after a call has failed', async () => {
    const { answers, watch, pass, texts, report } = world
    await watch()
    await pass(500)
    answers(() => Promise.reject(REFUSED))
    report('verifier', REFUSED, 'recovered from error')
    await pass(250)
    expect(texts()).toEqual(['a part is away'])
  })

  test('was never there: one failure is enough', async () => {
    const { answers, watch, texts, isUp } = world
    answers(() => Promise.reject(REFUSED))
    await watch()
    expect([texts(), await isUp()]).toEqual([['a part is away'], 0])
  })

  test('one question that fails, between others that do not, is counted and no line', async () => {
    const { answers, watch, pass, lines, faults } = world
    await watch()
    let asked = 0
    answers(async () => {
      asked += 1
      if (asked % 2 === 1) throw REFUSED
    })
    await pass(9_000)
    expect(await faults('node')).toBeGreaterThanOrEqual(2)
    expect(lines.filter(({ msg }) => msg === 'a part is away')).toEqual([])
  })
})

test('a part that answers and fails at calls is a line a minute, with the failures', async () => {
  const { watch, pass, lines, report, outages } = world
  await watch()
  for (let second = 0; second < 100; second += 1) {
    report('verifier', REFUSED, 'recovered from error')
    outages.noticed('node', 'error', new Error('of the driver'))
    await pass(1_000)
  }
  expect(lines).toMatchObject([
    { level: 40, part: 'node', msg: 'a part fails, but answers' },
    { level: 40, part: 'node', msg: 'a part fails, but answers' },
  ])
  expect(lines[1]?.['failures']).toBeGreaterThanOrEqual(118)
})

test('a part that is not asked has its lines by its own calls', () => {
  const { outages, texts } = world
  const peer = outages.hear('peer')
  peer.answered()
  for (let call = 0; call < 3; call += 1) peer.failed(new Error('peer_timeout'))
  peer.answered()
  peer.answered()
  expect(texts()).toEqual(['a part is away', 'a part is back'])
})

test('a part that is no longer used is neither there nor away, and new once it is used again', async () => {
  const { outages, texts, isUp } = world
  const feed = outages.hear('feed')
  feed.answered()
  feed.failed(new Error('unreachable'))
  expect(await isUp('feed')).toBe(0)
  feed.forget()
  expect([await isUp('feed'), texts()]).toEqual([undefined, ['a part is away']])
  feed.answered()
  expect([await isUp('feed'), texts()]).toEqual([1, ['a part is away']])
})

test('a driver that fails before its part is watched has one line, and one when it is watched', async () => {
  const { outages, watch, texts } = world
  for (let call = 0; call < 3; call += 1) outages.noticed('node', 'error', new Error('no broker'))
  await watch()
  expect(texts()).toEqual(['a part is away', 'a part is back'])
})

test('a fault of no part outside is logged each time', () => {
  const { report, lines } = world
  report('views', new RangeError('a defect'), 'projection failed, retrying', { projection: 'p' })
  report('views', new StorageUnavailableError('taken-over', 'x'), 'projection failed, retrying')
  report('views', REFUSED, 'the node is not watched')
  expect(lines).toMatchObject([
    { level: 50, part: 'views', projection: 'p', err: { message: 'a defect' } },
    { level: 50, err: { message: 'x' } },
    { level: 50, msg: 'the node is not watched' },
  ])
})

test('rows that the history lost are counted apart from a history that is away', async () => {
  const { report, losses } = world
  report('history', new HistoryUnavailableError('away'), 'projection failed, retrying')
  expect(await losses()).toBe(0)
  report('history', new HistoryLostRowsError('they are gone'), 'projection failed, retrying')
  expect(await losses()).toBe(1)
})

test('once the process stops, parts that are closed are no faults; defects are', async () => {
  const { answers, watch, pass, report, outages, closer, lines, faults } = world
  await watch()
  answers(() => Promise.reject(REFUSED))
  await closer.close()
  report('audit sweep', REFUSED, 'recovered from error')
  outages.noticed('kafka', 'error', new Error('disconnected'))
  await pass(10_000)
  expect([lines, await faults('audit sweep'), await faults('kafka')]).toEqual([
    [],
    undefined,
    undefined,
  ])
  report('views', new RangeError('a defect'), 'recovered from error')
  expect(lines).toHaveLength(1)
})

test('a failure names its part, also below another one', () => {
  const kafka = kafkaAway('the log cannot be read', new Error('closed'))
  const redis = storageTrouble(new Error('Connection is closed.'))
  expect([REFUSED, kafka, redis].map(UnavailableError.outsidePartOf)).toEqual([
    'node',
    'kafka',
    'redis',
  ])
  expect(
    UnavailableError.outsidePartOf(
      new StorageUnavailableError('io', 'not counted', { cause: redis }),
    ),
  ).toBe('redis')
  const own = [new StorageUnavailableError('full', 'no space'), new RecordTooLargeError('large')]
  expect([...own, new Error('x'), null].map(UnavailableError.outsidePartOf)).toEqual([
    null,
    null,
    null,
    null,
  ])
})
