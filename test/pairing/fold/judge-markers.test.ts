import { describe, expect, test } from 'vitest'
import { judgeMarkers, type Scene } from '../../../src/pairing/fold/judge-markers.ts'
import type { Marker } from '../../../src/pairing/fold/marker.ts'
import { INVALID_REASONS, type PairingObject } from '../../../src/schemas/api/pairing.ts'
import { toOutpointText, toTxid } from '../../support/ids.ts'
import { hashBytes, OP_TRUE, p2wsh } from '../../support/pairing/pairing-blocks.ts'

/** Inputs 0 and 1 carry single objects, 2 and 3 the halves of a pair, 4 nothing; there is no 5. */
const SINGLE_A = 0
const SINGLE_B = 1
const PAIRED = 2
const MATE = 3
const EMPTY = 4
/** Outputs 0 to 3 are P2WSH, 4 is not; there is no 5. */
const NOT_P2WSH = 4
const BEYOND = 5

const objectOf = (pairId: string | null): PairingObject => ({
  objectKey: 'aa'.repeat(32),
  contentHash: 'bb'.repeat(32),
  label: '',
  status: 'active',
  carrier: toOutpointText(`${'cc'.repeat(32)}:0`),
  address: 'bcrt1',
  pairId,
  pairedWith: pairId,
  createdTxid: toTxid('cc'.repeat(32)),
  createdHeight: 1,
  eventCount: 1,
})
const CARRIED = [null, null, 'dd'.repeat(32), 'dd'.repeat(32)].map(objectOf)
const scene: Scene = {
  inputs: 5,
  outputs: 5,
  script: (output) => (output === NOT_P2WSH ? OP_TRUE : p2wsh(output)),
  objectOf: (input) => CARRIED[input] ?? null,
}
const [create, move, pair, unpair] = [1, 2, 3, 4].map(
  (opcode) =>
    (...body: number[]): Marker => ({ opcode, body: Uint8Array.from(body) }),
) as [Make, Make, Make, Make]
type Make = (...body: number[]) => Marker
const created = (vout: number): Marker => create(vout, ...hashBytes(1), 0)
const judge = (...markers: Marker[]) => judgeMarkers(markers, scene)

test('no marker: neither opcode nor reason', () => {
  expect(judge()).toEqual({ opcode: null, reason: null, effect: null })
})

describe('a valid marker', () => {
  test.each([
    ['CREATE', created(0), 1],
    ['CREATE on the last output', created(3), 1],
    ['MOVE of a single object', move(1, SINGLE_A, 0), 2],
    ['MOVE of one half', move(1, PAIRED, 3), 2],
    ['MOVE of both halves and another', move(3, MATE, 0, PAIRED, 1, SINGLE_A, 2), 2],
    ['PAIR', pair(SINGLE_B, SINGLE_A, 0, 1), 3],
    ['UNPAIR', unpair(MATE, 0), 4],
  ])('%s', (_, marker, opcode) => {
    expect(judge(marker)).toMatchObject({ opcode, reason: null, effect: expect.anything() })
  })
})

describe('a reason', () => {
  test.each([
    ['multiple_markers', [created(0), created(1)], null],
    ['multiple_markers', [created(0), { opcode: 9, body: Uint8Array.of() }], null],
    ['unknown_opcode', [{ opcode: 0, body: Uint8Array.of() }], 0],
    ['unknown_opcode', [{ opcode: 5, body: Uint8Array.of(0, 0) }], 5],
    ['malformed_body', [create(0)], 1],
    ['malformed_body', [move(0)], 2],
    ['malformed_body', [pair(0, 1, 2)], 3],
    ['malformed_body', [unpair(0)], 4],
    ['bad_input', [move(1, 5, 0)], 2],
    ['bad_input', [move(2, SINGLE_A, 0, 255, 1)], 2],
    ['bad_input', [pair(SINGLE_A, 5, 0, 1)], 3],
    ['bad_input', [unpair(5, 0)], 4],
    ['duplicate_input', [move(2, SINGLE_A, 0, SINGLE_A, 1)], 2],
    ['duplicate_input', [pair(SINGLE_A, SINGLE_A, 0, 1)], 3],
    ['bad_vout', [created(BEYOND)], 1],
    ['bad_vout', [move(1, SINGLE_A, 255)], 2],
    ['bad_vout', [pair(SINGLE_A, SINGLE_B, 0, BEYOND)], 3],
    ['bad_vout', [unpair(PAIRED, BEYOND)], 4],
    ['duplicate_vout', [move(2, SINGLE_A, 1, SINGLE_B, 1)], 2],
    ['duplicate_vout', [pair(SINGLE_A, SINGLE_B, 1, 1)], 3],
    ['not_p2wsh', [created(NOT_P2WSH)], 1],
    ['not_p2wsh', [move(2, SINGLE_A, 0, SINGLE_B, NOT_P2WSH)], 2],
    ['not_p2wsh', [pair(SINGLE_A, SINGLE_B, NOT_P2WSH, 0)], 3],
    ['not_p2wsh', [unpair(PAIRED, NOT_P2WSH)], 4],
    ['input_not_carrier', [move(2, SINGLE_A, 0, EMPTY, 1)], 2],
    ['input_not_carrier', [pair(EMPTY, SINGLE_A, 0, 1)], 3],
    ['input_not_carrier', [unpair(EMPTY, 0)], 4],
    ['already_paired', [pair(PAIRED, SINGLE_A, 0, 1)], 3],
    ['already_paired', [pair(SINGLE_A, MATE, 0, 1)], 3],
    ['already_paired', [pair(PAIRED, MATE, 0, 1)], 3],
    ['not_paired', [unpair(SINGLE_A, 0)], 4],
  ])('%s of %j', (reason, markers, opcode) => {
    expect(judge(...(markers as Marker[]))).toEqual({ opcode, reason, effect: null })
  })
})

describe('of two reasons the first counts', () => {
  test.each([
    ['multiple_markers', 'unknown_opcode', [{ opcode: 9, body: Uint8Array.of() }, created(0)]],
    ['unknown_opcode', 'malformed_body', [{ opcode: 5, body: Uint8Array.of(1) }]],
    ['malformed_body', 'bad_input', [move(1, 5, 0, 0)]],
    ['bad_input', 'duplicate_input', [move(3, SINGLE_A, 0, SINGLE_A, 1, 5, 2)]],
    ['duplicate_input', 'bad_vout', [move(2, SINGLE_A, BEYOND, SINGLE_A, 1)]],
    ['bad_vout', 'duplicate_vout', [move(3, SINGLE_A, 1, SINGLE_B, 1, PAIRED, BEYOND)]],
    ['duplicate_vout', 'not_p2wsh', [pair(SINGLE_A, SINGLE_B, NOT_P2WSH, NOT_P2WSH)]],
    ['not_p2wsh', 'input_not_carrier', [move(2, EMPTY, 0, SINGLE_A, NOT_P2WSH)]],
    ['input_not_carrier', 'already_paired', [pair(PAIRED, EMPTY, 0, 1)]],
    ['input_not_carrier', 'not_paired', [unpair(EMPTY, 0)]],
  ])('%s before %s', (first, second, markers) => {
    const order = INVALID_REASONS as readonly string[]
    expect(order.indexOf(first)).toBeLessThan(order.indexOf(second))
    expect(judge(...(markers as Marker[])).reason).toBe(first)
  })

  test('in the order of the list', () => {
    expect(INVALID_REASONS).toEqual([
      'multiple_markers',
      'unknown_opcode',
      'malformed_body',
      'bad_input',
      'duplicate_input',
      'bad_vout',
      'duplicate_vout',
      'not_p2wsh',
      'input_not_carrier',
      'already_paired',
      'not_paired',
    ])
  })
})

describe('a carrier is P2WSH', () => {
  test.each([
    ['P2WPKH', Buffer.concat([Buffer.from([0, 20]), Buffer.alloc(20)])],
    ['P2TR', Buffer.concat([Buffer.from([0x51, 32]), Buffer.alloc(32)])],
    ['a byte longer', Buffer.concat([p2wsh(1), Buffer.from([0])])],
    ['a byte shorter', p2wsh(1).subarray(0, 33)],
    ['a push of PUSHDATA1', Buffer.concat([Buffer.from([0, 0x4c, 32]), Buffer.alloc(31)])],
    ['empty', Buffer.alloc(0)],
  ])('and not %s', (_, script) => {
    const odd = { ...scene, script: () => script }
    expect(judgeMarkers([created(0)], odd).reason).toBe('not_p2wsh')
  })
})
