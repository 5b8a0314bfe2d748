import canonicalize from 'canonicalize'
import { describe, expect, test } from 'vitest'
import { diffSnapshots } from '../../src/circles/diff-snapshots.ts'
import { duplicatedKey, pointerAt } from '../../src/circles/json-places.ts'
import { lineageIdOf } from '../../src/circles/outpoint-bytes.ts'
import { verifySnapshot } from '../../src/circles/verify-snapshot.ts'
import type { CircleSnapshot } from '../../src/schemas/api/circles.ts'
import { CircleChain } from '../support/folds/circle-chain.ts'
import { hashOf, oracleBytes } from '../support/folds/circle-runs.ts'
import { toOutpointText, toTxid } from '../support/ids.ts'

const bytesFor = (seed: number): string => {
  const chain = new CircleChain(seed)
  for (let left = 8; left > 0; left--) chain.mine()
  return oracleBytes(chain)
}
const BYTES = bytesFor(42)
const snapshot = (): CircleSnapshot => JSON.parse(BYTES)
const verified = (text: string | Uint8Array) =>
  verifySnapshot(typeof text === 'string' ? Buffer.from(text) : text)
const faultOf = (text: string | Uint8Array) => {
  const result = verified(text)
  return result.ok ? null : `${result.fault.pointer}: ${result.fault.message}`
}
/** The fault of the changed snapshot, in canonical form again. */
const faultAfter = (change: (snapshot: CircleSnapshot) => void): string | null => {
  const changed = snapshot()
  change(changed)
  return faultOf(canonicalize(changed) ?? '')
}

test('the oracle’s snapshot is verified, and its hash returned', () => {
  for (let seed = 1; seed <= 60; seed++) {
    const bytes = bytesFor(seed)
    expect(faultOf(bytes), `seed ${seed}`).toBeNull()
    expect(verified(bytes)).toMatchObject({ ok: true, stateHash: hashOf(bytes) })
  }
})

const { version, ...rest } = snapshot()
const { circles, edges, lineages, shards } = rest
const continued = circles.findIndex(({ members }) => members.some((one) => one.wasExistingLineage))
const oldSlot = circles[continued]!.members.findIndex((one) => one.wasExistingLineage)
const old = circles[continued]!.members[oldSlot]!
const started = circles.findIndex(({ members }) => members.some((one) => !one.wasExistingLineage))
const newSlot = circles[started]!.members.findIndex((one) => !one.wasExistingLineage)
const higher = circles.findIndex(({ blockHeight }) => blockHeight > circles[0]!.blockHeight)
const closed = lineages.findIndex(({ status }) => status === 'closed')
const active = lineages.findIndex(({ status }) => status === 'active')
const unspent = shards.findIndex(({ spentByTxid }) => spentByTxid === null)
const txids = new Set(circles.map(({ txid }) => txid))
const ended = shards.findIndex(({ spentByTxid }) => spentByTxid && !txids.has(spentByTxid))
const ID = 'f'.repeat(64)

test('the snapshot of these tests has all that they change', () => {
  const places = [continued, oldSlot, started, newSlot, higher, closed, active, unspent, ended]
  expect(places).not.toContain(-1)
  expect(edges.length).toBeGreaterThan(2)
})

describe('what does not have the form of a snapshot', () => {
  test.each([
    ['nothing', '', 'the whole'],
    ['half of it', BYTES.slice(0, -1), 'the whole'],
    ['with a byte order mark', `\ufeff${BYTES}`, 'the whole'],
  ])('%s', (_, text) => {
    expect(faultOf(text)).toBe(': must be JSON')
  })

  test('bytes that are not UTF-8', () => {
    expect(faultOf(Buffer.concat([Buffer.from(BYTES), Buffer.from([0xff])]))).toBe(
      ': must be UTF-8',
    )
  })

  test.each([
    ['null', ': must be an object'],
    ['[]', ': must be an object'],
    ['{}', '/protocol: must be circles: this is outside the schema'],
    [
      BYTES.replace('"protocol":"circles"', '"protocol":"squares"'),
      '/protocol: must be circles: this is outside the schema',
    ],
    [
      BYTES.replace('"version":1', '"version":2'),
      '/version: must be 1: another version is outside this schema',
    ],
    [BYTES.replace('"version":1', '"version":1,"x":0'), '/x: unknown property'],
    [
      BYTES.replace('"slot":1', '"slot":1,"a/b~c":0'),
      '/circles/0/members/1/a~1b~0c: unknown property',
    ],
  ])('%#', (text, expected) => {
    expect(faultOf(text)).toBe(expected)
  })

  test.each([
    [
      'a key twice at the root',
      BYTES.replace('"version":1', '"version":1,"version":1'),
      '/version',
    ],
    [
      'a key twice inside',
      BYTES.replace('"slot":1', '"slot":1,"slot":1'),
      '/circles/0/members/1/slot',
    ],
    [
      'a key twice, escaped',
      BYTES.replace('"slot":1', '"slot":1,"sl\\u006ft":1'),
      '/circles/0/members/1/slot',
    ],
  ])('%s', (_, text, pointer) => {
    expect(faultOf(text)).toBe(`${pointer}: is there twice`)
  })

  test.each([
    ['a line break at its end', `${BYTES}\n`, ''],
    ['a space', BYTES.replace('"version":1', '"version": 1'), '/version'],
    ['a number in another form', BYTES.replace('"version":1', '"version":1.0'), '/version'],
    ['an exponent', BYTES.replace('"slot":1,', '"slot":1e0,'), '/circles/0/members/1/slot'],
    ['minus zero', BYTES.replace('"slot":0,', '"slot":-0,'), '/circles/0/members/0/slot'],
    ['an escape', BYTES.replace('"circles","rev', '"\\u0063ircles","rev'), '/protocol'],
    ['keys in another order', JSON.stringify({ version, ...rest }), '/version'],
  ])('not canonical: %s', (_, text, pointer) => {
    expect(faultOf(text)).toBe(`${pointer}: must be in canonical form (RFC 8785)`)
  })
})

describe('what no chain gives', () => {
  const swap = (array: unknown[], at: number) => array.splice(at, 2, array[at + 1], array[at])
  const place = `/circles/${continued}/members/${oldSlot}`
  const fresh = `/circles/${started}/members/${newSlot}`
  const OUT_OF_ORDER = 'is out of order: it belongs before the one above'
  const cases: [string, (snapshot: CircleSnapshot) => void, string][] = [
    ['lineages out of order', (one) => swap(one.lineages, 0), `/lineages/1: ${OUT_OF_ORDER}`],
    ['shards out of order', (one) => swap(one.shards, 2), `/shards/3: ${OUT_OF_ORDER}`],
    ['circles out of order', (one) => swap(one.circles, 0), `/circles/1: ${OUT_OF_ORDER}`],
    ['edges out of order', (one) => swap(one.edges, 1), `/edges/2: ${OUT_OF_ORDER}`],
    [
      'a lineage twice',
      (one) => one.lineages.splice(1, 0, one.lineages[0]!),
      '/lineages/1: is there twice',
    ],
    [
      'a shard twice',
      (one) => one.shards.splice(1, 0, one.shards[0]!),
      '/shards/1: is there twice',
    ],
    [
      'a circle twice',
      (one) => one.circles.splice(1, 0, one.circles[0]!),
      '/circles/1/txid: is there twice',
    ],
    ['an edge twice', (one) => one.edges.splice(1, 0, one.edges[0]!), '/edges/1: is there twice'],
    [
      'members out of order',
      (one) => swap(one.circles[0]!.members, 0),
      '/circles/0/members/0/slot: must be 0',
    ],
    [
      'a member count that differs from its array',
      (one) => (one.circles[0]!.participantCount = circles[0]!.members.length === 2 ? 3 : 2),
      `/circles/0/participantCount: must be ${circles[0]!.members.length}, the number of members`,
    ],
    [
      'a coinbase',
      (one) => (one.circles[0]!.transactionIndex = 0),
      '/circles/0/transactionIndex: must not be 0: a coinbase is not a circle',
    ],
    [
      'a fee that is not the sum',
      (one) => (one.circles[0]!.feeSats = '2099999999999999'),
      `/circles/0/feeSats: must be ${circles[0]!.feeSats}, the sum of the shares`,
    ],
    [
      'a share that is not the rest',
      (one) => (one.circles[0]!.members[0]!.feeShareSats = '2099999999999999'),
      `/circles/0/members/0/feeShareSats: must be ${circles[0]!.members[0]!.feeShareSats}, input less output`,
    ],
    [
      'an output above its input',
      (one) => (one.circles[0]!.members[0]!.outputValueSats = '2100000000000000'),
      '/circles/0/members/0/outputValueSats: must not be above inputValueSats',
    ],
    [
      'an output of another transaction',
      (one) => (one.circles[0]!.members[1]!.outputOutpoint = toOutpointText(`${ID}:1`)),
      `/circles/0/members/1/outputOutpoint: must be ${circles[0]!.txid}:1`,
    ],
    [
      'an edge without its shard',
      (one) => (one.edges.at(-1)!.viaOutpoint = toOutpointText(`${ID}:0`)),
      `/edges/${edges.length - 1}/viaOutpoint: there is no such shard`,
    ],
    [
      'an edge to no circle',
      (one) => (one.edges[0]!.toCircle = toTxid(ID)),
      '/edges/0/toCircle: there is no such circle',
    ],
    [
      'an edge from another circle',
      (one) => (one.edges[0]!.fromCircle = toTxid(ID)),
      `/edges/0/fromCircle: must be ${edges[0]!.fromCircle}`,
    ],
    [
      'an edge of another lineage',
      (one) => (one.edges[0]!.lineageId = ID),
      `/edges/0/lineageId: must be ${edges[0]!.lineageId}`,
    ],
    [
      'an edge too few',
      (one) => one.edges.pop(),
      `/edges: has no edge through ${edges.at(-1)!.viaOutpoint}`,
    ],
    [
      'a shard that is gone',
      (one) => one.shards.splice(unspent, 1),
      `/circles/${circles.findIndex(({ txid }) => txid === shards[unspent]!.createdByCircle)}/members/${shards[unspent]!.outpoint.slice(65)}/outputOutpoint: there is no such shard`,
    ],
    [
      'a lineage that is gone',
      (one) => one.lineages.splice(active, 1),
      `lineageId: there is no such lineage`,
    ],
    [
      'a lineage without a circle',
      (one) => one.lineages.push({ ...lineages[0]!, lineageId: ID }),
      `/lineages/${lineages.length}/lineageId: is of no circle`,
    ],
    [
      'a shard without a circle',
      (one) => one.shards.push({ ...shards[0]!, outpoint: toOutpointText(`${ID}:0`) }),
      `/shards/${shards.length}/outpoint: is made by no circle`,
    ],
    [
      'a member that is not new',
      (one) => (one.circles[started]!.members[newSlot]!.wasExistingLineage = true),
      `${fresh}/wasExistingLineage: must be false`,
    ],
    [
      'a member that is new',
      (one) => (one.circles[continued]!.members[oldSlot]!.wasExistingLineage = false),
      `${place}/wasExistingLineage: must be true`,
    ],
    [
      'a lineage id that is not the hash',
      (one) => (one.circles[started]!.members[newSlot]!.lineageId = ID),
      `${fresh}/lineageId: must be ${circles[started]!.members[newSlot]!.lineageId}`,
    ],
    [
      'an input that no circle made',
      (one) =>
        (one.circles[continued]!.members[oldSlot]!.inputOutpoint = toOutpointText(
          `${circles.at(-1)!.txid}:0`,
        )),
      `${place}/inputOutpoint: must be an output of an earlier circle`,
    ],
    [
      'a closed lineage with an output',
      (one) => (one.lineages[closed]!.currentOutpoint = toOutpointText(`${ID}:0`)),
      `/lineages/${closed}/currentOutpoint: must be null`,
    ],
    [
      'a closed lineage without its spender',
      (one) => (one.lineages[closed]!.closedByTxid = null),
      `/lineages/${closed}/closedByTxid: must be ${lineages[closed]!.closedByTxid}`,
    ],
    [
      'a closed lineage that says active',
      (one) => (one.lineages[closed]!.status = 'active'),
      `/lineages/${closed}/status: must be closed`,
    ],
    [
      'an active lineage that says closed',
      (one) => (one.lineages[active]!.status = 'closed'),
      `/lineages/${active}/status: must be active`,
    ],
    [
      'a count of circles',
      (one) => (one.lineages[active]!.circleCount += 1),
      `/lineages/${active}/circleCount: must be ${lineages[active]!.circleCount}`,
    ],
    [
      'a spent shard without a height',
      (one) => (one.shards[ended]!.spentHeight = null),
      `/shards/${ended}/spentHeight: must be an integer: it is spent`,
    ],
    [
      'a shard that is spent before it is made',
      (one) => (one.shards[ended]!.spentHeight = 0),
      `/shards/${ended}/spentHeight: must not be below createdHeight ${shards[ended]!.createdHeight}`,
    ],
    [
      'an unspent shard with a height',
      (one) => (one.shards[unspent]!.spentHeight = 5),
      `/shards/${unspent}/spentHeight: must be null`,
    ],
    [
      'a shard that a circle does not spend',
      (one) => (one.shards[unspent]!.spentByTxid = circles.at(-1)!.txid),
      `/shards/${unspent}/spentByTxid: is a circle that does not spend it`,
    ],
    [
      'a value',
      (one) => (one.shards[0]!.valueSats = '7'),
      `/shards/0/valueSats: must be ${shards[0]!.valueSats}`,
    ],
    [
      'a block at two heights',
      (one) => (one.circles[higher]!.blockHash = circles[0]!.blockHash),
      `/circles/${higher}/blockHash: is the block at ${circles[0]!.blockHeight}`,
    ],
    [
      'a wtxid twice',
      (one) => (one.circles[1]!.wtxid = circles[0]!.wtxid),
      '/circles/1/wtxid: is there twice',
    ],
    ['a revision', (one) => (one.revision += 1), `/revision: must be ${snapshot().revision}:`],
  ]

  test.each(cases)('%s', (_, change, expected) => {
    expect(faultAfter(change)).toContain(expected)
  })

  test('a member whose input is not what the shard holds', () => {
    const fault = faultAfter((one) => {
      const circle = one.circles[continued]!
      const member = circle.members[oldSlot]!
      member.inputValueSats = String(BigInt(old.inputValueSats) + 1n)
      member.feeShareSats = String(BigInt(old.feeShareSats) + 1n)
      circle.feeSats = String(BigInt(circle.feeSats) + 1n)
    })
    expect(fault).toBe(`${place}/inputValueSats: must be ${old.inputValueSats}`)
  })

  test('an output that is spent before the transaction that makes it', () => {
    const outpoint = toOutpointText(`${shards[ended]!.spentByTxid}:99`)
    const spentHeight = shards[ended]!.spentHeight!
    const at = circles.findIndex(
      ({ blockHeight, members }) =>
        blockHeight < spentHeight && members.some(({ wasExistingLineage: is }) => !is),
    )
    const slot = circles[at]!.members.findIndex((one) => !one.wasExistingLineage)
    const { lineageId, outputOutpoint } = circles[at]!.members[slot]!
    const renamed = (value: unknown): unknown => {
      const text = JSON.stringify(value).replaceAll(lineageId, lineageIdOf(outpoint))
      return JSON.parse(text)
    }
    const changed = renamed(snapshot()) as CircleSnapshot
    changed.circles[at]!.members[slot]!.inputOutpoint = outpoint
    const shard = changed.shards.find((one) => one.outpoint === outputOutpoint)!
    shard.previousOutpoint = outpoint
    const lineage = changed.lineages.find((one) => one.lineageId === lineageIdOf(outpoint))!
    lineage.genesisOutpoint = outpoint
    changed.lineages.sort((one, other) => (one.lineageId < other.lineageId ? -1 : 1))
    expect(faultOf(canonicalize(changed) ?? '')).toBe(
      `/circles/${at}/members/${slot}/inputOutpoint: is made at ${spentHeight}, after this circle`,
    )
  })

  test('any other value of any field derived from the circles', () => {
    // What a snapshot alone cannot show; a position in the block only by the order of the circles.
    const FREE = new Set(['scriptPubKey', 'wtxid', 'contextHash', 'blockHash', 'transactionIndex'])
    let tried = 0
    for (const section of ['lineages', 'shards', 'edges', 'circles'] as const) {
      snapshot()[section].forEach((record, at) => {
        if (at % 3 > 0) return
        for (const [field, value] of Object.entries(record)) {
          if (FREE.has(field) || typeof value === 'object') continue
          const fault = faultAfter((one) => Reflect.set(one[section][at]!, field, other(value)))
          expect(fault, `/${section}/${at}/${field}`).not.toBeNull()
          tried += 1
        }
      })
    }
    expect(tried).toBeGreaterThan(150)
  })
})

/** Another value of the same form. */
function other(value: unknown): unknown {
  if (typeof value === 'number') return value + 1
  if (typeof value === 'boolean') return !value
  const text = String(value)
  if (text === 'active') return 'closed'
  if (text === 'closed') return 'active'
  if (/^\d+$/.test(text) && text.length < 17) return String(BigInt(text) ^ 1n)
  return `${text.startsWith('0') ? '1' : '0'}${text.slice(1)}`
}

describe('places in a JSON text', () => {
  test('a duplicate is found in its own object only', () => {
    expect(duplicatedKey('{"a":{"a":1},"b":[{"a":1},{"a":"a"}]}')).toBeNull()
    expect(duplicatedKey('{"a":1,"b":{"x":"\\"a\\"","x":2}}')).toBe('/b/x')
    expect(duplicatedKey('[[{"":1,"":2}]]')).toBe('/0/0/')
    expect(duplicatedKey('1')).toBeNull()
  })

  test('an offset is that of the value there', () => {
    const text = '{"a":[10,{"b~/":true}],"c":"x"}'
    expect(pointerAt(text, text.indexOf('10'))).toBe('/a/0')
    expect(pointerAt(text, text.indexOf('true'))).toBe('/a/1/b~0~1')
    expect(pointerAt(text, text.indexOf('"x"') + 1)).toBe('/c')
    expect(pointerAt(text, text.length)).toBe('')
  })
})

test('a diff names what differs, by the keys of the records', () => {
  expect([...diffSnapshots(snapshot(), snapshot())]).toEqual([])
  const b = snapshot()
  b.revision += 1
  b.circles[0]!.members[1]!.outputValueSats = '7'
  const [gone] = b.shards.splice(1, 1)
  b.lineages.push({ ...b.lineages[0]!, lineageId: ID })
  expect([...diffSnapshots(snapshot(), b)]).toEqual([
    { pointer: '/revision', a: String(b.revision - 1), b: String(b.revision) },
    {
      pointer: '/circles/0/members/1/outputValueSats',
      a: circles[0]!.members[1]!.outputValueSats,
      b: '7',
    },
    { pointer: `/lineages/${lineages.length}`, b: ID },
    { pointer: '/shards/1', a: gone!.outpoint },
  ])
})
