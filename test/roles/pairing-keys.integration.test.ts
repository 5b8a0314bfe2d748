import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { LmdbStore } from '../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { openDivergences } from '../../src/adapters/embedded/stores/divergences.ts'
import { readConfig } from '../../src/cli/terminal/environment.ts'
import { divergenceLine, listDivergences } from '../../src/operator/divergences.ts'
import { makeKey, signTuple, verifyEnvelope } from '../../src/operator/pairing-keys.ts'
import { verifyProof } from '../../src/operator/pairing-proofs.ts'
import { openPairingIndex } from '../../src/pairing/pairing-index.ts'
import { proveObject } from '../../src/pairing/prove.ts'
import type { Divergence } from '../../src/schemas/api/pairing.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { memoryPairingStore } from '../support/folds/memory-pairing-store.ts'
import {
  create,
  elsewhere,
  hashBytes,
  LittleChain,
  p2wsh,
  transactionOf,
} from '../support/pairing/pairing-blocks.ts'
import { hash, signerOf, tupleAt, xOnlyOf } from '../support/pairing/pairing-pipeline.ts'
import { SETTINGS } from '../support/pairing/pairing-story.ts'

// What `market pairing` does.

const directory = temporaryDirectory()
afterAll(() => directory.drop())
const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value))
const RELEASE = {
  PAIRING_RELEASE_NAME: 'market',
  PAIRING_RELEASE_VERSION: '1.2.3',
  PAIRING_RELEASE_COMMIT: 'c0ffee',
  PAIRING_RELEASE_DIGEST: 'sha256:d1',
}

test('a key is created, signs by its file, and is verified by the trusted map', () => {
  const path = join(directory.path, 'a.key')
  const { keyId, publicKey } = makeKey(path)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  const privateKey = readFileSync(path, 'utf8').trim()
  expect(privateKey).toMatch(/^[0-9a-f]{64}$/)
  expect(privateKey).not.toBe(publicKey)

  const config = readConfig({
    ...RELEASE,
    PAIRING_KEY_ID: keyId,
    PAIRING_PRIVATE_KEY_FILE: path,
    PAIRING_TRUSTED_A: `old:${publicKey},${keyId}:${publicKey}`,
  })
  const envelope = signTuple(config, bytesOf(tupleAt(5)))
  expect(envelope).toMatchObject({ pipeline: 'A', keyId, tuple: tupleAt(5) })
  expect(verifyEnvelope(config, bytesOf(envelope))).toEqual({ envelope, problem: null })
  const problemOf = (value: unknown) => verifyEnvelope(config, bytesOf(value)).problem
  expect(problemOf({ ...envelope, tuple: tupleAt(6) })).toBe(
    `the signature is not valid for key ${keyId} and this content`,
  )
  expect(problemOf({ ...envelope, keyId: 'other' })).toBe('PAIRING_TRUSTED_A has no key other')
  expect(problemOf(signerOf('B', 'b1').seal(tupleAt(5)))).toBe('PAIRING_TRUSTED_B has no key b1')
  expect(problemOf({ ...envelope, more: 1 })).toMatch(/^not an envelope: /)
  expect(() => signTuple(config, bytesOf({ ...tupleAt(5), height: 5 }))).toThrow(
    'not a checkpoint tuple: height',
  )
})

test('a key is never written over another, and has a valid id', () => {
  const path = join(directory.path, 'b.key')
  expect(makeKey(path, 'b-2026').keyId).toBe('b-2026')
  const before = readFileSync(path, 'utf8')
  expect(() => makeKey(path)).toThrow('exists already')
  expect(readFileSync(path, 'utf8')).toBe(before)
  expect(() => makeKey(join(directory.path, 'c.key'), 'a:b')).toThrow('a key id is')
  expect(() => makeKey(join(directory.path, 'no', 'where'))).toThrow('cannot be written')
})

test('without a signing boundary nothing is signed', () => {
  expect(() => signTuple(readConfig({}), bytesOf(tupleAt(5)))).toThrow('no signing key')
})

test('divergences need an existing store', async () => {
  const config = readConfig({ DATA_DIR: join(directory.path, 'nowhere') })
  await expect(listDivergences(config)).rejects.toThrow('there is no store in')
})

test('divergences are listed as they were recorded, and none without a pipeline', async () => {
  const DATA_DIR = join(directory.path, 'kept')
  const config = readConfig({ DATA_DIR })
  const store = await LmdbStore.open(join(DATA_DIR, 'store'))
  await store.close()
  expect(await listDivergences(config)).toEqual([])

  const again = await LmdbStore.open(join(DATA_DIR, 'store'))
  const ledger = openDivergences(again)
  const own = signerOf('A', 'a1').seal(tupleAt(5))
  const differing = ['one', 'two'].map((what): Divergence => {
    const peer = signerOf('B', 'b1').seal({ ...tupleAt(5), blockHash: hash(what) })
    return { field: 'blockHash', height: 5, own, peer, firstSeenAt: '2030-01-01T00:00:00.000Z' }
  })
  for (const divergence of differing) await ledger.note(divergence)
  await again.close()
  expect(await listDivergences(config)).toEqual(differing.toReversed())
})

test('a divergence is one line', () => {
  const own = signerOf('A', 'a1').seal(tupleAt(5))
  const peer = signerOf('B', 'b1').seal({ ...tupleAt(5), blockHash: tupleAt(6).blockHash })
  const firstSeenAt = '2030-01-01T00:00:00.000Z'
  expect(divergenceLine({ field: 'blockHash', height: 5, own, peer, firstSeenAt })).toBe(
    `${firstSeenAt}  height 5  blockHash  A a1 ${tupleAt(5).blockHash}  B b1 ${tupleAt(6).blockHash}`,
  )
})

test('a proof is verified by a trusted key, or by the hash of a checkpoint that is trusted', async () => {
  const index = openPairingIndex({ store: memoryPairingStore(), settings: SETTINGS })
  await index.connect([
    new LittleChain().mine(transactionOf([elsewhere(1)], [p2wsh(1), create(0, hashBytes(1))])),
  ])
  const [object] = index.read((view) => view.objects(1))
  const body = index.read(proveObject({ objectKey: object?.objectKey }))
  const proof = { ...body, envelope: signerOf('A', 'a1').seal(body.checkpoint) }
  const trusting = readConfig({ PAIRING_TRUSTED_A: `a1:${xOnlyOf('a1')}` })
  const problemOf = (value: unknown, config = trusting, checkpoint?: string) =>
    verifyProof(config, bytesOf(value), checkpoint).problem
  expect(problemOf(proof)).toBeNull()
  expect(problemOf(proof, readConfig({}))).toBe('PAIRING_TRUSTED_A has no key a1')
  const unsigned = { ...proof, envelope: null }
  expect(problemOf(unsigned)).toContain('the checkpoint is not signed')
  expect(problemOf(unsigned, trusting, body.checkpoint.checkpointHash)).toBeNull()
  expect(problemOf(proof, trusting, hash('another'))).toContain('the checkpoint is another one')
  expect(problemOf({ ...proof, position: 7 })).toContain('record: is not')
  expect(problemOf({ ...proof, envelope: signerOf('A', 'a1').seal(tupleAt(5)) })).toContain(
    'envelope: is for another checkpoint',
  )
  expect(problemOf({})).toContain('not a proof: format')
  expect(() => problemOf(proof, trusting, 'ab')).toThrow('a checkpoint hash is 64')
})
