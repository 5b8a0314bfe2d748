import { describe, expect, test } from 'vitest'
import { dustThreshold, isRelayable, isWitnessProgram } from '../../../src/domain/script/relay.ts'
import { askClaim, bidClaim, PAYOUT } from '../../support/orders/evidence.ts'

const key = `02${'11'.repeat(32)}`
const SCRIPTS = {
  P2TR: `5120${'aa'.repeat(32)}`,
  P2WPKH: `0014${'aa'.repeat(20)}`,
  P2WSH: `0020${'aa'.repeat(32)}`,
  P2SH: `a914${'aa'.repeat(20)}87`,
  P2PKH: `76a914${'aa'.repeat(20)}88ac`,
  'P2PK, compressed': `21${key}ac`,
  'P2PK, uncompressed': `4104${'22'.repeat(64)}ac`,
  'bare multisig of 1 of 2': `5121${key}21${key}52ae`,
  'pay to anchor': '51024e73',
}

// Core `GetDustThreshold` at 3 sat/vB, as in its own tests of policy.
test.each([
  ['P2TR', 330],
  ['P2WPKH', 294],
  ['P2WSH', 330],
  ['P2SH', 540],
  ['P2PKH', 546],
  ['P2PK, compressed', 576],
  ['pay to anchor', 240],
] as const)('dust of %s begins below %d sats', (name, sats) => {
  const scriptHex = SCRIPTS[name]
  expect(dustThreshold(scriptHex)).toBe(BigInt(sats))
  const pays = (valueSats: number) =>
    isRelayable(askClaim({ offer: { payouts: [{ valueSats: `${valueSats}`, scriptHex }] } }).offer)
  expect([sats - 1, sats].map(pays)).toEqual([false, true])
})

test.each([
  [0, false],
  [1, true],
  [2, true],
  [3, true],
  [4, false],
  [0xffffffff, false],
])('version %d: %s', (version, expected) => {
  expect(isRelayable(askClaim({ offer: { version } }).offer)).toBe(expected)
})

test.each(Object.entries(SCRIPTS))('a payout to %s is relayed', (_, scriptHex) => {
  const payouts = [{ ...PAYOUT, scriptHex }]
  expect(isRelayable(askClaim({ offer: { payouts } }).offer)).toBe(true)
})

test.each([
  ['nothing', ''],
  ['OP_RETURN', '6a0401020304'],
  ['OP_TRUE', '51'],
  ['a witness version without rules', `5220${'aa'.repeat(32)}`],
  ['a version 0 program of an odd length', `0015${'aa'.repeat(21)}`],
  ['a taproot key of 31 bytes', `511f${'aa'.repeat(31)}`],
  ['a bare multisig of 1 of 4', `51${`21${key}`.repeat(4)}54ae`],
  ['P2SH with a byte too many', `a914${'aa'.repeat(20)}8700`],
])('a payout to %s is not', (_, scriptHex) => {
  const payouts = [{ ...PAYOUT, scriptHex }]
  expect(isRelayable(askClaim({ offer: { payouts } }).offer)).toBe(false)
})

describe('the outputs of a bid', () => {
  const data = (bytes: number) => ({ valueSats: '0', scriptHex: `6a${'00'.repeat(bytes - 1)}` })
  type Outputs = { valueSats: string; scriptHex: string }[]
  const relayed = (more: Outputs, coreVersion?: number) =>
    isRelayable(bidClaim({ offer: { payouts: [PAYOUT, ...more] } }).offer, { coreVersion })
  const carries = (...more: Outputs) => relayed(more)

  test.each([undefined, 260_000, 299_900])(
    'one may carry data of up to 83 bytes, by a node of version %s',
    (version) => {
      expect(relayed([data(83)], version)).toBe(true)
      expect(relayed([data(84)], version)).toBe(false)
      expect(relayed([data(10), data(11)], version)).toBe(false)
    },
  )

  // Core 30 counts the scripts of all such outputs together (-datacarriersize).
  test.each([300_000, 310_100])(
    '100,000 bytes in any number of outputs, by one of %d',
    (version) => {
      expect(relayed([data(84)], version)).toBe(true)
      expect(relayed([data(10), data(11)], version)).toBe(true)
      expect(relayed([data(60_000), data(40_000)], version)).toBe(true)
      expect(relayed([data(60_000), data(40_001)], version)).toBe(false)
    },
  )

  // Bitcoin Core 31: `TRUC-violation` (BIP431). Without witnesses the size is a lower bound.
  test.each([
    [2, 9_990, true],
    [3, 9_700, true],
    [3, 9_990, false],
  ])('in version %d data of %d bytes: %s', (version, bytes, expected) => {
    const offer = { version, payouts: [PAYOUT, data(bytes)] }
    expect(isRelayable(bidClaim({ offer }).offer, { coreVersion: 300_000 })).toBe(expected)
  })

  // Core `IsPushOnly` takes OP_RESERVED, and OP_1 to OP_16.
  test.each([
    ['6a', true],
    ['6a5051605100', true],
    ['6a0401020304', true],
    ['6aac', false],
    ['6a61', false],
    ['6a4c', false],
    ['6a020a', false],
  ])('data is OP_RETURN and pushes alone: %s is relayed: %s', (scriptHex, expected) => {
    expect(carries({ valueSats: '0', scriptHex })).toBe(expected)
  })

  test.each([
    [2, 19n, false],
    [2, 20n, true],
    [1, 19n, false],
    [3, 1n, true],
  ])('in version %d a fee of %d sats for 200 vB: %s', (version, feeSats, expected) => {
    const { offer } = bidClaim({ offer: { version } })
    const completion = { leastVbytes: 200n, feeSats }
    expect(isRelayable(offer, { completion })).toBe(expected)
    expect(isRelayable(offer, { completion: { leastVbytes: 200n, feeSats: null } })).toBe(true)
    expect(isRelayable(offer)).toBe(true)
  })

  test('in version 3 the witnesses that are known count', () => {
    const sized = (leastVbytes: bigint, version = 3) => {
      const completion = { leastVbytes, feeSats: null }
      return isRelayable(askClaim({ offer: { version } }).offer, { completion })
    }
    expect([sized(10_000n), sized(10_001n), sized(10_001n, 2)]).toEqual([true, false, true])
  })

  test('an ask does not pay with data, whatever the node', () => {
    const offer = { payouts: [data(10)] }
    expect(isRelayable(askClaim({ offer }).offer, { coreVersion: 300_000 })).toBe(false)
  })

  test('all others must be above dust', () => {
    expect(carries({ ...PAYOUT, valueSats: '1' })).toBe(false)
  })
})

test.each([
  ['5120', 32, true],
  ['0014', 20, true],
  ['6028', 40, true],
  ['5102', 2, true],
  ['6029', 41, false],
  ['5101', 1, false],
  ['6120', 32, false],
  ['5121', 32, false],
])('a script that begins %s with %d bytes: witness program %s', (head, bytes, expected) => {
  expect(isWitnessProgram(head + 'ab'.repeat(bytes))).toBe(expected)
})
