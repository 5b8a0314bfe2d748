import { afterEach, beforeEach, expect, test } from 'vitest'
import { LmdbStore } from '../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { openPairingStore } from '../../src/adapters/embedded/stores/pairing-store.ts'
import { distrustOf, rememberingVerify } from '../../src/pairing/agreement/trust.ts'
import { openPairingIndex, type PairingIndex } from '../../src/pairing/pairing-index.ts'
import type { PairingServiceSettings } from '../../src/pairing/pairing-service.ts'
import type { PairingStore } from '../../src/ports/folds/pairing-store.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { mineDrawn } from '../support/pairing/pairing-lives.ts'
import {
  openPipelines,
  type Pipelines,
  privateKeyOf,
  RELEASE,
  signerOf,
  xOnlyOf,
} from '../support/pairing/pairing-pipeline.ts'
import { SETTINGS } from '../support/pairing/pairing-story.ts'

const START = SETTINGS.startHeight
const blocks = mineDrawn([[], [], []], START)
const trusted = {
  A: new Map([
    ['a1', xOnlyOf('a1')],
    ['a2', xOnlyOf('a2')],
  ]),
  B: new Map<string, string>(),
}
/** Not a signature: an answer with it was not signed on request. */
const MARK = 'ab'.repeat(64)

const directory = temporaryDirectory()
let lmdb: LmdbStore
let store: PairingStore
let index: PairingIndex
const opened: Pipelines[] = []

beforeEach(async () => {
  lmdb = await LmdbStore.open(directory.path)
  store = openPairingStore(lmdb)
  index = openPairingIndex({ store, settings: SETTINGS, signer: signerOf('A', 'a1') })
  await index.connect(blocks)
})
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
  await lmdb.close()
  directory.drop()
})

const signatureAt = (height: number) =>
  store.read(({ signatures }) => signatures.get(height)?.signature)
const markAt = (height: number) =>
  store.write(({ signatures }) => {
    const kept = signatures.get(height)
    if (kept) signatures.put(height, { ...kept, signature: MARK })
  })

async function envelopeAt(height: number, keyId = 'a1', keyOf = keyId) {
  const signing: PairingServiceSettings['signing'] = {
    keyId,
    privateKey: privateKeyOf(keyOf),
    release: RELEASE,
  }
  const pipelines = await openPipelines({ settings: { signing, trusted }, parts: { views: index } })
  opened.push(pipelines)
  return (await pipelines.get(`/pairing/agreement/${height}`)).json()
}

test('an envelope is signed when its checkpoint is made, and not when it is requested', async () => {
  for (const at of [START, START + 1, START + 2]) {
    const envelope = await envelopeAt(at)
    expect(distrustOf(envelope, 'A', trusted, rememberingVerify())).toBeNull()
    expect(envelope.signature).toBe(signatureAt(at))
  }
  await markAt(START)
  expect((await envelopeAt(START)).signature).toBe(MARK)
})

test('what another key signed is signed again by the current key', async () => {
  await markAt(START)
  const envelope = await envelopeAt(START, 'a2')
  expect(envelope.keyId).toBe('a2')
  expect(distrustOf(envelope, 'A', trusted, rememberingVerify())).toBeNull()
})

test('what another key of the same id signed is signed again by the current key', async () => {
  const envelope = await envelopeAt(START, 'a1', 'a2')
  const successor = { ...trusted, A: new Map([['a1', xOnlyOf('a2')]]) }
  expect(envelope.keyId).toBe('a1')
  expect(distrustOf(envelope, 'A', successor, rememberingVerify())).toBeNull()
})

test('a checkpoint that was made before there was a signer is signed when it is requested', async () => {
  await store.write(({ signatures }) => signatures.remove(START))
  const envelope = await envelopeAt(START)
  expect(distrustOf(envelope, 'A', trusted, rememberingVerify())).toBeNull()
})

test('a disconnected block leaves no signature', async () => {
  await index.disconnect()
  expect([signatureAt(START + 1), signatureAt(START + 2)]).toEqual([expect.any(String), undefined])
})
