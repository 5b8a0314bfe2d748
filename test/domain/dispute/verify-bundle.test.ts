import * as ecc from 'tiny-secp256k1'
import { describe, expect, test } from 'vitest'
import { openBundleSigner } from '../../../src/domain/dispute/bundle-signer.ts'
import { sealBundle } from '../../../src/domain/dispute/seal-bundle.ts'
import { isUnproved, UNPROVED_CLAIMS } from '../../../src/domain/dispute/unproved-claims.ts'
import { LONGEST_BUNDLE, verifyBundle } from '../../../src/domain/dispute/verify-bundle.ts'
import { canonicalJson } from '../../../src/domain/json/canonical-json.ts'
import { DisputeBundle } from '../../../src/schemas/dispute/bundle.ts'
import { mutations } from '../../support/dispute/mutations.ts'
import { toOrderId } from '../../support/ids.ts'
import { vectorText } from '../../support/vectors.ts'

const NAMES = ['live', 'settled', 'settled-operator'] as const
const textOf = (name: (typeof NAMES)[number]) => vectorText(`dispute-${name}.json`)
const bundleOf = (name: (typeof NAMES)[number]) => DisputeBundle.parse(JSON.parse(textOf(name)))
const failedOf = (text: string) => verifyBundle(text, ecc).failed

/** With a recomputed hash, as its author could make it. */
const sealed = ({ sha256: _, ...bundle }: DisputeBundle) => canonicalJson(sealBundle(bundle))

/** Paths of the fields that can be changed without a contradiction. */
function silent(name: (typeof NAMES)[number], isTried: (path: string, n: number) => boolean) {
  return mutations(bundleOf(name))
    .filter(([path], n) => path !== 'sha256' && isTried(path, n))
    .filter(([, changed]) => failedOf(sealed(changed)).length === 0)
    .map(([path]) => path)
}

const isInRecord = (path: string) => /^changes\.\d+\.record\./.test(path)

describe('a bundle', () => {
  test.each(NAMES)('%s: contradicts nothing as recorded', (name) => {
    const { failed, proved, claimed } = verifyBundle(textOf(name), ecc)
    expect(failed).toEqual([])
    expect(proved.length).toBeGreaterThan(name === 'settled' ? 2 : 7)
    expect(proved.length + claimed.length).toBeGreaterThan(13)
  })

  test('of a settled sale proves it without its artifact to who knows its key, and says what it cannot prove', () => {
    const { sha256: _, ...settled } = bundleOf('settled')
    const signer = openBundleSigner(new Uint8Array(32).fill(7)) ?? expect.fail('not a key')
    const signed = canonicalJson(sealBundle(settled, signer))
    const { proved, claimed } = verifyBundle(signed, ecc, signer.publicKey)
    const { spend } = settled.order
    const ofOrder = [
      'the order id is that of the terms: outpoint, payout, version, locktime and sequence',
      'the offered output has 10000 sats and its script, as evidence says',
      'it pays exactly what the order asked',
      '2 verdicts follow from their evidence by the rules of this release',
    ]
    expect(proved.slice(-4)).toEqual(ofOrder)
    // Of regtest, whose blocks anyone can make: on mainnet those about blocks are proved.
    const { outputBlock, outpoint } = settled.order
    const inBlock = (txid = '', hash = '') =>
      `transaction ${txid} is in block ${hash}, whose header took about 2^1 hashes`
    const made = outpoint.split(':')[0]
    expect(claimed).toEqual([
      'that the order existed: the artifact with its signature is withheld',
      '2 changes are withheld: that their hashes are of what is said of them',
      "the order's claim, outputBlock, indexProof",
      'the artifact is withheld: that it is signed, and what else it says',
      inBlock(made, outputBlock?.hash),
      `transaction ${made} made the offered output in the order's block`,
      inBlock(spend?.txid, spend?.block?.hash),
      `transaction ${spend?.txid} spent the offered output in that block, as the order says`,
      '2 headers are of blocks that evidence names, and have their proof of work',
      'that these blocks are on the best chain, and their heights',
      'what node and index answered, beyond what is proved here',
    ])
    const unknown = verifyBundle(textOf('settled'), ecc)
    expect(unknown.failed).toEqual([])
    expect(unknown.proved.filter((fact) => ofOrder.includes(fact))).toEqual([ofOrder[1]])
  })

  test('without its artifact: the id of an ask is that of its terms, whatever its signature proved to be', () => {
    const bundle = bundleOf('settled')
    const { claim } = bundle.order
    const failedAs = (...reasons: string[]) => {
      const orderClass = 'UNSUPPORTED' as const
      const inspection = { ...claim.inspection, orderClass, safety: orderClass, reasons }
      return failedOf(
        sealed({ ...bundle, order: { ...bundle.order, claim: { ...claim, inspection } } }),
      )
    }
    const isOfTerms = expect.stringContaining('the order id is that of the terms')
    // Signed for all inputs and outputs; what the inspection refuses has an id of another kind.
    expect(failedAs('sighash_not_single_anyonecanpay', 'sighash_default')).not.toContainEqual(
      isOfTerms,
    )
    expect(failedAs('sighash_not_single_anyonecanpay')).toContainEqual(isOfTerms)
    expect(failedAs('no_output_at_index', 'sighash_default')).toContainEqual(isOfTerms)
  })

  test.each(NAMES)('%s: with any field changed its hash no longer matches', (name) => {
    for (const [path, changed] of mutations(bundleOf(name)).filter((_, n) => n % 5 === 0))
      expect(failedOf(canonicalJson(changed)), path).not.toEqual([])
  })

  test('with nothing withheld: any changed field contradicts others, whoever seals it', () => {
    expect(silent('live', () => true)).toEqual([])
    expect(silent('settled-operator', (path, n) => !isInRecord(path) || n % 6 === 0)).toEqual([])
  })

  test('with changes withheld: exactly what the list names can be changed', () => {
    const paths = silent('settled', () => true)
    expect(paths.filter((path) => !isUnproved(path))).toEqual([])
    expect(paths.length).toBeGreaterThan(10)
  })

  test('with a proof of the offered output, its block cannot be left out', () => {
    const bundle = bundleOf('settled')
    const without = sealed({ ...bundle, order: { ...bundle.order, outputBlock: null } })
    expect(failedOf(without)).toEqual([
      expect.stringMatching(
        /^not so: transaction \w+ made the offered output in the order's block$/,
      ),
    ])
  })

  test.each([
    ['a withheld proof', { output: null }, 'claimed'],
    ['no header', { headers: [] }, 'claimed'],
    ['the proof of another transaction', { spend: bundleOf('settled').proofs.output }, 'failed'],
  ])('with %s: %o is %s', (_name, proofs, where) => {
    const bundle = bundleOf('settled')
    const { failed } = verifyBundle(
      sealed({ ...bundle, proofs: { ...bundle.proofs, ...proofs } }),
      ecc,
    )
    expect(failed.length > 0).toBe(where === 'failed')
  })

  test('whose last change is missing, or whose changes are in another order, fails', () => {
    const bundle = bundleOf('settled-operator')
    for (const changes of [
      bundle.changes.slice(0, -1),
      bundle.changes.toReversed(),
      bundle.changes.filter((_, n) => n !== 1),
      [...bundle.changes, ...bundle.changes],
    ])
      expect(failedOf(sealed({ ...bundle, changes }))).not.toEqual([])
  })

  test('of another order, network or artifact fails', () => {
    const live = bundleOf('live')
    const settled = bundleOf('settled-operator')
    for (const other of [
      { ...live, orderId: toOrderId('ab'.repeat(32)) },
      { ...live, network: 'mainnet' as const },
      { ...live, artifact: { ...live.artifact, psbt: settled.order.claim.source.sourceId } },
      { ...live, artifact: { ...live.artifact, psbt: null } },
      { ...live, changes: settled.changes },
    ])
      expect(failedOf(sealed(other))).not.toEqual([])
  })

  test.each([
    ['spaces', JSON.stringify(JSON.parse(textOf('live')), null, 2)],
    ['a name twice', textOf('live').replace('{', '{"format":"market-dispute/0",')],
    ['another format', textOf('live').replace('market-dispute/1', 'market-dispute/2')],
    ['a field too many', textOf('live').replace('{', '{"zzz":1,')],
    ['two newlines', `${textOf('live')}\n\n`],
    ['a cut end', textOf('live').slice(0, -1)],
    ['a list', '[]'],
    ['no value', 'null'],
    ['half of a surrogate pair', textOf('live').replace('"verified"', '"\\ud800"')],
    ['nothing', ''],
    ['a megabyte too many', ' '.repeat(LONGEST_BUNDLE + 1)],
    ['terms that no transaction has', beyondTransactions()],
  ])('in another form is refused: %s', (_name, text) => {
    expect(failedOf(text)).not.toEqual([])
  })

  test('with values at the bounds of its schema is refused, and nothing throws', () => {
    const bounds = [0, -1, 2 ** 32, Number.MAX_SAFE_INTEGER, '', '00', 'ff'.repeat(33), null, true]
    for (const name of ['live', 'settled'] as const)
      for (const value of bounds)
        for (const [path, changed] of mutations(bundleOf(name), () => value).filter(
          (_, n) => n % 9 === 0,
        ))
          expect(() => failedOf(sealed(changed)), `${path} ${value}`).not.toThrow()
  })

  test('may end with a newline, as a shell adds it', () => {
    expect(failedOf(`${textOf('live')}\n`)).toEqual([])
  })
})

/** Numbers that its schema takes, and no serialisation. */
function beyondTransactions(): string {
  const bundle = bundleOf('settled')
  const { claim } = bundle.order
  const offer = { ...claim.offer, version: -(2 ** 40), locktime: 2 ** 40, sellerIndex: 2 ** 40 }
  return sealed({ ...bundle, order: { ...bundle.order, claim: { ...claim, offer } } })
}

test('the list of unproved statements has each part once', () => {
  const paths = UNPROVED_CLAIMS.map(({ path }) => path)
  expect(new Set(paths).size).toBe(paths.length)
  expect(isUnproved('changes.3.evidence.node.tip.hash')).toBe(true)
  expect(isUnproved('changes.3.hash')).toBe(false)
  expect(isUnproved('orderId')).toBe(false)
})
