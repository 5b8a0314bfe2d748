import { Ajv2020 } from 'ajv/dist/2020.js'
import { beforeAll, describe, expect, test } from 'vitest'
import { CircleSnapshot, circleSnapshotSchema } from '../../../src/schemas/api/circles.ts'
import { CircleChain } from '../../support/folds/circle-chain.ts'
import { oracleBytes } from '../../support/folds/circle-runs.ts'

let snapshot: string
const accepts = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(circleSnapshotSchema())

beforeAll(() => {
  const chain = new CircleChain(33)
  // Until there is one of everything that is changed below.
  do {
    chain.mine()
    snapshot = oracleBytes(chain)
  } while (JSON.parse(snapshot).edges.length === 0)
})

type Place = readonly (string | number)[]

/** The snapshot with another value at a path; undefined removes it. */
function changed(place: Place, value: unknown): unknown {
  const whole = JSON.parse(snapshot)
  const last = place.at(-1)!
  const holder = place.slice(0, -1).reduce((at, key) => at[key], whole)
  if (value === undefined) delete holder[last]
  else holder[last] = value
  return whole
}

const HEX = 'a'.repeat(64)
const RECORDS: readonly Place[] = [
  [],
  ['lineages', 0],
  ['shards', 0],
  ['circles', 0],
  ['circles', 0, 'members', 0],
  ['edges', 0],
]
const HEX64: readonly Place[] = [
  ['lineages', 0, 'lineageId'],
  ['lineages', 0, 'closedByTxid'],
  ['shards', 0, 'lineageId'],
  ['shards', 0, 'createdByCircle'],
  ['shards', 0, 'spentByTxid'],
  ['circles', 0, 'txid'],
  ['circles', 0, 'wtxid'],
  ['circles', 0, 'contextHash'],
  ['circles', 0, 'blockHash'],
  ['circles', 0, 'members', 1, 'lineageId'],
  ['edges', 0, 'fromCircle'],
  ['edges', 0, 'toCircle'],
  ['edges', 0, 'lineageId'],
]
const OUTPOINTS: readonly Place[] = [
  ['lineages', 0, 'genesisOutpoint'],
  ['lineages', 0, 'currentOutpoint'],
  ['shards', 0, 'outpoint'],
  ['shards', 0, 'previousOutpoint'],
  ['circles', 0, 'members', 0, 'inputOutpoint'],
  ['circles', 0, 'members', 0, 'outputOutpoint'],
  ['edges', 0, 'viaOutpoint'],
]
const SATS: readonly Place[] = [
  ['shards', 0, 'valueSats'],
  ['circles', 0, 'feeSats'],
  ['circles', 0, 'members', 0, 'inputValueSats'],
  ['circles', 0, 'members', 0, 'outputValueSats'],
  ['circles', 0, 'members', 0, 'feeShareSats'],
]
const COUNTS: readonly Place[] = [
  ['revision'],
  ['lineages', 0, 'firstHeight'],
  ['lineages', 0, 'lastHeight'],
  ['shards', 0, 'createdHeight'],
  ['shards', 0, 'spentHeight'],
  ['circles', 0, 'blockHeight'],
  ['circles', 0, 'transactionIndex'],
]
const NULLABLE: readonly Place[] = [
  ['lineages', 0, 'currentOutpoint'],
  ['lineages', 0, 'closedByTxid'],
  ['shards', 0, 'spentByTxid'],
  ['shards', 0, 'spentHeight'],
]
const each = (places: readonly Place[], values: readonly unknown[]) =>
  places.flatMap((place) => values.map((value) => [place.join('/'), value, place] as const))

const issuesOf = (value: unknown) => CircleSnapshot.safeParse(value).error?.issues ?? []

describe('zod and the published JSON Schema', () => {
  test('accept a snapshot as the index makes it', () => {
    expect(issuesOf(JSON.parse(snapshot))).toEqual([])
    expect(accepts(JSON.parse(snapshot))).toBe(true)
  })

  test.each([
    ...each(HEX64, [HEX]),
    ...each(OUTPOINTS, [`${HEX}:0`, `${HEX}:9`, `${HEX}:999999999`, `${HEX}:4294967295`]),
    ...each(SATS, ['0', '1', '999999999999999', '1999999999999999', '2100000000000000']),
    ...each(COUNTS, [0, 1, Number.MAX_SAFE_INTEGER]),
    ...each(NULLABLE, [null]),
    ...each([['lineages', 0, 'status']], ['active', 'closed']),
    ...each([['lineages', 0, 'circleCount']], [1, Number.MAX_SAFE_INTEGER]),
    ...each([['circles', 0, 'participantCount']], [2, 16]),
    ...each([['circles', 0, 'members', 0, 'slot']], [0, 15]),
    ...each([['circles', 0, 'members', 0, 'wasExistingLineage']], [true, false]),
    ...each([['lineages'], ['shards'], ['circles'], ['edges']], [[]]),
  ])('take %s = %j', (_, value, place) => {
    expect(issuesOf(changed(place, value))).toEqual([])
    expect(accepts(changed(place, value))).toBe(true)
  })

  test.each([
    ...each(HEX64, [HEX.toUpperCase(), HEX.slice(1), `${HEX}a`, `0x${HEX.slice(2)}`, '', 0]),
    ...each(HEX64, [`${HEX}\n`]),
    ...each(OUTPOINTS, [
      HEX,
      `${HEX}:`,
      `${HEX}:00`,
      `${HEX}:01`,
      `${HEX}:-1`,
      `${HEX}:4294967296`,
    ]),
    ...each(OUTPOINTS, [`${HEX}:9999999999`, `${HEX.toUpperCase()}:0`, `${HEX}:0 `, 1]),
    ...each(SATS, ['00', '01', '-1', '', '1.0', '2100000000000001', '2200000000000000']),
    ...each(SATS, ['10000000000000000', 1, null]),
    ...each(COUNTS, [-1, 0.5, 2 ** 53, '1', true]),
    ...each([['lineages', 0, 'status']], ['Active', 'open', null]),
    ...each([['lineages', 0, 'circleCount']], [0, 2 ** 53]),
    ...each([['circles', 0, 'participantCount']], [1, 17]),
    ...each([['circles', 0, 'members', 0, 'slot']], [-1, 16]),
    ...each([['circles', 0, 'members', 0, 'wasExistingLineage']], ['true', 0, null]),
    ...each([['circles', 0, 'members']], [[], null, {}]),
    ...each([['shards', 0, 'scriptPubKey']], [`5121${HEX}`, `5120${HEX}00`, `5120${HEX.slice(2)}`]),
    ...each([['protocol']], ['Circles', '', null]),
    ...each([['version']], [0, 2, '1']),
    ...each([['lineages'], ['shards'], ['circles'], ['edges']], [{}, null, 'x']),
    ...each([['shards', 0]], [null, [], 'x']),
  ])('refuse %s = %j, and zod says where', (_, value, place) => {
    const issues = issuesOf(changed(place, value))
    expect(issues[0]?.path.slice(0, place.length)).toEqual(place)
    expect(issues[0]?.message).not.toMatch(/^Invalid|^Unrecognized|expected/)
    expect(accepts(changed(place, value))).toBe(false)
  })

  test('refuse an array of 17 members', () => {
    const member = JSON.parse(snapshot).circles[0].members[0]
    const many = changed(['circles', 0, 'members'], Array(17).fill(member))
    expect(issuesOf(many)[0]?.path).toEqual(['circles', 0, 'members'])
    expect(accepts(many)).toBe(false)
  })

  test.each(RECORDS)('refuse any other property of %j %j %j %j', (...place) => {
    const path = place.filter((part) => part !== undefined)
    const value = changed([...path, 'note'], 'x')
    expect(issuesOf(value)).toMatchObject([{ code: 'unrecognized_keys', path, keys: ['note'] }])
    expect(accepts(value)).toBe(false)
  })

  test('refuse a record without any one of its fields', () => {
    for (const place of RECORDS) {
      const record = place.reduce((at, key) => at[key], JSON.parse(snapshot))
      for (const field of Object.keys(record)) {
        const value = changed([...place, field], undefined)
        expect(issuesOf(value)[0]?.path).toEqual([...place, field])
        expect(accepts(value)).toBe(false)
      }
    }
  })
})
