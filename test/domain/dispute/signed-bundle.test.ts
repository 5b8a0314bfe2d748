import * as ecc from 'tiny-secp256k1'
import { describe, expect, test } from 'vitest'
import { openBundleSigner } from '../../../src/domain/dispute/bundle-signer.ts'
import { bundleText, sealBundle } from '../../../src/domain/dispute/seal-bundle.ts'
import { verifyBundle } from '../../../src/domain/dispute/verify-bundle.ts'
import { resultOf } from '../../../src/operator/dispute/verify-bundle-file.ts'
import { DisputeBundle } from '../../../src/schemas/dispute/bundle.ts'
import { forgedSale } from '../../support/dispute/forged-sale.ts'
import { mutations } from '../../support/dispute/mutations.ts'
import { vectorText } from '../../support/vectors.ts'

const settled = DisputeBundle.parse(JSON.parse(vectorText('dispute-settled.json')))
const signerOf = (byte: number) =>
  openBundleSigner(new Uint8Array(32).fill(byte)) ?? expect.fail('not a key')
const service = signerOf(7)
const forger = signerOf(8)
const { sha256: _, ...unsealed } = settled
const signed = sealBundle(unsealed, service)

const verified = (bundle: DisputeBundle, key?: string) => verifyBundle(bundleText(bundle), ecc, key)
const resultFor = (bundle: DisputeBundle, key?: string) => resultOf(verified(bundle, key))

describe('a bundle is sound only for who knows the key that signed it', () => {
  test('signed by the service, with its key: sound, and the key is proved', () => {
    const findings = verified(signed, service.publicKey)
    expect(findings).toMatchObject({ failed: [], isSigned: true })
    expect(findings.proved).toContain(`key ${service.publicKey} signed the bundle`)
    expect(resultOf(findings)).toBe('sound')
  })

  test('the same bundle has the same signature', () => {
    expect(sealBundle(unsealed, service)).toEqual(signed)
  })

  test.each([
    ['signed, without a key to compare', signed, undefined, 'consistent'],
    ['not signed, without a key', sealBundle(unsealed), undefined, 'consistent'],
    ['not signed, with a key', sealBundle(unsealed), service.publicKey, 'not sound'],
    ['signed by another', sealBundle(unsealed, forger), service.publicKey, 'not sound'],
  ])('%s: never sound', (_name, bundle, key, result) => {
    expect(resultFor(bundle, key)).toBe(result)
  })

  test('a signature of another bundle, or by another key than it names, is none', () => {
    const { signature } = sealBundle({ ...unsealed, network: 'signet' }, service)
    expect(resultFor({ ...settled, ...(signature && { signature }) })).toBe('not sound')
    const renamed = signed.signature && { ...signed.signature, publicKey: forger.publicKey }
    expect(resultFor({ ...signed, ...(renamed && { signature: renamed }) })).toBe('not sound')
  })

  test('with any digit of its signature or key changed it is not sound', () => {
    const changed = mutations(signed).filter(([path]) => path.startsWith('signature.'))
    expect(changed.map(([path]) => path)).toEqual(['signature.publicKey', 'signature.signature'])
    for (const [path, bundle] of changed) expect(resultFor(bundle), path).toBe('not sound')
  })
})

describe('the forgery of a sale that never was, for an output of a stranger', () => {
  const forged = forgedSale(settled)

  test('contradicts nothing, and that an order existed is only claimed', () => {
    const { failed, proved, claimed } = verified(sealBundle(forged))
    expect(failed).toEqual([])
    expect(claimed).toContain('a transaction paid this: that an order existed is only claimed')
    expect(proved.filter((fact) => /\border\b/.test(fact))).toEqual([])
  })

  test.each([
    ['unsigned', sealBundle(forged)],
    ['signed by its forger', sealBundle(forged, forger)],
  ])('%s: is never sound', (_name, bundle) => {
    expect(resultFor(bundle)).toBe('consistent')
    expect(resultFor(bundle, service.publicKey)).toBe('not sound')
  })
})
