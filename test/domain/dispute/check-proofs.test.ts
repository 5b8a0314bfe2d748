import { expect, test } from 'vitest'
import { checkProofs } from '../../../src/domain/dispute/check-proofs.ts'
import { Findings } from '../../../src/domain/dispute/findings.ts'
import { DisputeBundle } from '../../../src/schemas/dispute/bundle.ts'
import { toBlockHash, toTxid } from '../../support/ids.ts'
import { vectorText } from '../../support/vectors.ts'

/** The first block of mainnet: one transaction, and work that a minute has again, of any time before 2016. */
const HASH = toBlockHash('000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f')
const ROOT = '3ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4a'
const HEADER = `01000000${'00'.repeat(32)}${ROOT}29ab5f49ffff001d1dac2b7c`
const TRANSACTION = `01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff4d04ffff001d0104455468652054696d65732030332f4a616e2f32303039204368616e63656c6c6f72206f6e206272696e6b206f66207365636f6e64206261696c6f757420666f722062616e6b73ffffffff0100f2052a01000000434104678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6bf11d5fac00000000`
const INCLUSION = {
  txid: toTxid(Buffer.from(ROOT, 'hex').reverse().toString('hex')),
  block: { hash: HASH, height: 0 },
  transaction: TRANSACTION,
  proof: `${HEADER}0100000001${ROOT}0101`,
}
const IN_BLOCK = `transaction ${INCLUSION.txid} is in block ${HASH} of 2009, whose header took about 2^32 hashes`

function check(proofs: Partial<DisputeBundle['proofs']>, tip?: string): Findings {
  const text = vectorText('dispute-live.json')
  const bundle = DisputeBundle.parse(JSON.parse(tip ? text.replaceAll(tip, HASH) : text))
  const findings = new Findings()
  const none = { output: null, spend: null, headers: [] }
  checkProofs({ ...bundle, network: 'mainnet', proofs: { ...none, ...proofs } }, findings)
  return findings
}

test('the block of the offered output may be old: its line says so', () => {
  expect(check({ output: INCLUSION }).proved).toContain(IN_BLOCK)
})

test('that of a spend is none of before there were orders, whatever time its header claims', () => {
  const { proved, failed } = check({ spend: INCLUSION })
  expect(failed).toContain(`not so: ${IN_BLOCK}`)
  expect(proved.filter((line) => line.startsWith('transaction'))).toEqual([])
})

test('nor is a tip that evidence names', () => {
  const { headers } = DisputeBundle.parse(JSON.parse(vectorText('dispute-live.json'))).proofs
  const { proved, failed } = check({ headers: [{ hash: HASH, header: HEADER }] }, headers[0]?.hash)
  expect(proved).toEqual([])
  expect(failed).toEqual([expect.stringContaining('1 headers are of blocks that evidence names')])
})
