import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Evidence, OutputEvidence } from '../../src/schemas/evidence.ts'
import { LifecycleRecord, parseLifecycle } from '../../src/schemas/log.ts'
import { quickParserOf } from '../../src/schemas/quick-parse.ts'
import { toBlockHash, toOrderId, toTxid } from '../support/ids.ts'
import { type Dice, dice, orderKinds } from '../support/orders/order-book.ts'
import { lifeOf, outcomeOf } from '../support/orders/order-changes.ts'

const MUTATIONS = 2_000
const AT = '2026-01-02T03:04:05.678Z'
const TIP = { height: 900_000, hash: toBlockHash('aa'.repeat(32)), medianTime: 7 }
const OUTPUT = { valueSats: '546', scriptHex: '0014' }

/** As the log gives them: parsed from JSON. */
const RECORDS = records().map((record): unknown => JSON.parse(JSON.stringify(record)))

/** What a parser makes of a value: its text, in the order of its fields, or its complaint. */
function madeBy(parse: (value: unknown) => unknown, value: unknown): string {
  try {
    return JSON.stringify(parse(value))
  } catch (error) {
    if (error instanceof z.ZodError) return `refused: ${error.message}`
    throw error
  }
}

test('a record is read as its schema reads it', () => {
  for (const record of RECORDS) {
    expect(madeBy(parseLifecycle, record)).toBe(madeBy(LifecycleRecord.parse, record))
    expect(parseLifecycle(record)).toEqual(record)
  }
})

test('a record that is damaged anywhere is judged as its schema judges it', () => {
  const roll = dice(103)
  let refused = 0
  for (let n = 0; n < MUTATIONS; n += 1) {
    const record = structuredClone(roll.of(RECORDS)) as Node
    damage(roll, record)
    const expected = madeBy(LifecycleRecord.parse, record)
    expect(madeBy(parseLifecycle, record)).toBe(expected)
    if (expected.startsWith('refused')) refused += 1
  }
  expect(refused).toBeGreaterThan(MUTATIONS / 2)
  expect(refused).toBeLessThan(MUTATIONS)
})

test('what is no object at all is refused by the schema', () => {
  for (const value of [undefined, null, 1, 'text', [], {}, [RECORDS[0]]])
    expect(madeBy(parseLifecycle, value)).toMatch(/^refused/)
})

test('fields come in the order of the schema, whatever order they were written in', () => {
  const [record] = RECORDS as Record<string, unknown>[]
  const reversed = Object.fromEntries(Object.entries(record!).reverse())
  expect(Object.keys(reversed)).not.toEqual(Object.keys(record!))
  expect(madeBy(parseLifecycle, reversed)).toBe(madeBy(LifecycleRecord.parse, reversed))
})

test.each([
  ['a transformed value', z.strictObject({ a: z.string().transform((text) => text.length) })],
  ['an object with other fields', z.object({ a: z.string() })],
  ['a check that is not known', z.strictObject({ a: z.string().trim() })],
  ['a union without a discriminator', z.union([z.string(), z.number()])],
])('no parser is made for a schema with %s', (_, schema) => {
  expect(() => quickParserOf(schema)).toThrow('no quick parser')
})

type Node = Record<string, unknown> | unknown[]

/** Changes one place of the record, of any depth. */
function damage(roll: Dice, record: Node): void {
  const places: [node: Node, key: string][] = []
  const visit = (node: Node) => {
    for (const [key, value] of Object.entries(node)) {
      places.push([node, key])
      if (typeof value === 'object' && value !== null) visit(value as Node)
    }
  }
  visit(record)
  const [node, key] = roll.of(places)
  const target = node as Record<string, unknown>
  const value = target[key]
  const values = [
    undefined,
    null,
    0,
    -1,
    1.5,
    2 ** 53,
    '',
    '00',
    'LIVE',
    '2100000000000001',
    AT,
    `${String(value)} `,
    String(value).toUpperCase(),
    true,
    [],
    {},
    [value],
    { value },
  ]
  const ways = [
    () => delete target[key],
    () => (target['more'] = value),
    () => (target[key] = roll.of(values)),
    () => (target[key] = roll.of(values)),
    () => {
      // Last in its object: nothing else is different.
      if (Array.isArray(node)) return
      delete target[key]
      target[key] = value
    },
  ]
  roll.of(ways)()
}

function records(): LifecycleRecord[] {
  const all: LifecycleRecord[] = [outcomeOf('request', toOrderId('ab'.repeat(32)))]
  for (const order of orderKinds()) {
    const { changes } = lifeOf([{ ...order, state: 'PENDING_NODE', verifiedAt: null }, order])
    all.push(...changes)
  }
  const { medianTime: _, ...block } = TIP
  const spend = {
    txid: toTxid('dd'.repeat(32)),
    inputIndex: 1,
    unsignedTxid: toTxid('ee'.repeat(32)),
    pairedOutput: OUTPUT,
    block: { ...block, time: 5 },
  }
  const outputs: OutputEvidence[] = [
    { status: 'unspent', output: OUTPUT, coinbase: false, block, priorMedianTime: 3 },
    { status: 'spent', confirmed: true, output: null, block, by: spend },
    { status: 'missing' },
  ]
  const evidenceOf = (output: OutputEvidence): Evidence => ({
    begunAt: { epoch: 1, n: 2 },
    mempoolSequence: null,
    askedAt: AT,
    answeredAt: AT,
    node: { status: 'ready', tip: TIP, output, funding: [], signatures: [] },
    index: { status: 'unavailable', reason: 'asset_index_behind' },
  })
  const withEvidence = all
    .slice(1, 20)
    .flatMap((record) =>
      outputs.map((output) => ({ ...record, operator: 'anna', evidence: evidenceOf(output) })),
    )
  return [...all, ...(withEvidence as LifecycleRecord[])]
}
