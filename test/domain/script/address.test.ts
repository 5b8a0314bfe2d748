import { NETWORK, p2pkh, p2sh, p2tr, p2wpkh, p2wsh, TEST_NETWORK } from '@scure/btc-signer'
import fc from 'fast-check'
import * as ecc from 'tiny-secp256k1'
import { describe, expect, test } from 'vitest'
import { addressOfScript, scriptOfAddress } from '../../../src/domain/script/address.ts'
import type { Network } from '../../../src/schemas/scalars.ts'
import { almost } from '../../support/chain/byte-edits.ts'
import { SCRIPTS, secretOf, walletOf } from '../../support/chain/keys.ts'

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 3_000)
const NETWORKS: readonly Network[] = ['mainnet', 'signet', 'regtest']
const legacy = Buffer.from(p2pkh(ecc.pointFromScalar(secretOf('legacy'), true)!).script)
const GOOD = [...SCRIPTS.map((kind) => walletOf(kind, 'named').scriptHex), legacy.toString('hex')]
const NAMED = NETWORKS.flatMap((network) =>
  GOOD.map((scriptHex) => ({ network, scriptHex, address: addressOfScript(scriptHex, network)! })),
)

describe('an address names one script of one network', () => {
  test('as another encoder writes it', () => {
    const key = ecc.pointFromScalar(secretOf('peer'), true)!
    const bcrt = { ...TEST_NETWORK, bech32: 'bcrt' }
    const peers = { mainnet: NETWORK, signet: TEST_NETWORK, regtest: bcrt }
    for (const network of NETWORKS) {
      const peer = peers[network]
      const payments = [
        p2pkh(key, peer),
        p2wpkh(key, peer),
        p2tr(key.slice(1), undefined, peer),
        p2sh(p2wpkh(key, peer), peer),
        p2wsh(p2pkh(key, peer), peer),
      ]
      for (const { address, script } of payments) {
        const scriptHex = Buffer.from(script).toString('hex')
        expect(scriptOfAddress(address!, network)).toBe(scriptHex)
        expect(addressOfScript(scriptHex, network)).toBe(address)
      }
    }
  })

  test.each(NAMED)('$network $address', ({ network, scriptHex, address }) => {
    expect(scriptOfAddress(address, network)).toBe(scriptHex)
    const elsewhere = NETWORKS.filter((other) => other !== network)
    for (const other of elsewhere) {
      // base58check has one prefix for every network of tests.
      const isShared =
        network !== 'mainnet' && other !== 'mainnet' && !/^(?:tb|bcrt)1/.test(address)
      expect(scriptOfAddress(address, other)).toBe(isShared ? scriptHex : null)
    }
  })
})

test('an anchor has no owner: its address names no script to pay to', () => {
  for (const [address, network] of [
    ['bc1pfeessrawgf', 'mainnet'],
    ['tb1pfees9rn5nz', 'signet'],
    ['bcrt1pfeesnyr2tx', 'regtest'],
  ] as const) {
    expect(scriptOfAddress(address, network)).toBeNull()
    expect(addressOfScript('51024e73', network)).toBeNull()
  }
})

describe('any text gives a script or null', () => {
  const networks = fc.constantFrom(...NETWORKS)

  test('any text, and any text behind a prefix', () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary', maxLength: 128 }),
      fc.stringMatching(/^(?:bc|tb|bcrt)1[02-9ac-hj-np-z]{0,120}$/),
      fc.stringMatching(/^[123mn][1-9A-HJ-NP-Za-km-z]{0,60}$/),
    )
    fc.assert(
      fc.property(text, networks, (any, network) => {
        expect(scriptOfAddress(any, network)).toBeNull()
      }),
      { numRuns: RUNS },
    )
  })

  test('an address with letters changed, cut out, doubled or put in is the same one or none', () => {
    const edited = fc.constantFrom(...NAMED).chain((named) =>
      almost([Buffer.from(named.address)]).map((bytes) => ({
        ...named,
        text: Buffer.from(bytes).toString('latin1'),
      })),
    )
    fc.assert(
      fc.property(edited, networks, ({ text, address }, network) => {
        const found = scriptOfAddress(text, network)
        if (found !== null)
          expect([text, found]).toEqual([address, scriptOfAddress(address, network)])
      }),
      { numRuns: RUNS },
    )
  })

  test('any script has an address that leads back to it, or none', () => {
    const scripts = fc.oneof(
      almost(GOOD.map((hex) => Buffer.from(hex, 'hex'))).map((bytes) => Buffer.from(bytes)),
      fc.uint8Array({ maxLength: 45 }).map((bytes) => Buffer.from(bytes)),
    )
    fc.assert(
      fc.property(scripts, networks, (script, network) => {
        const address = addressOfScript(script.toString('hex'), network)
        if (address !== null) expect(scriptOfAddress(address, network)).toBe(script.toString('hex'))
      }),
      { numRuns: RUNS },
    )
  })
})
