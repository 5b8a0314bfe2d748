import { expect, test } from 'vitest'
import type { CopiedRecord } from '../../../src/adapters/kafka/copy/raw-record.ts'
import { digestWith, emptyDigest, writtenHash } from '../../../src/domain/heads/log-digest.ts'
import { openHeadSigner } from '../../../src/domain/heads/sign-head.ts'
import { FolderFiles } from '../../../src/operator/backup/files/folder-files.ts'
import { LogBackupWriter } from '../../../src/operator/backup/log/log-backup-writer.ts'
import { verifyLog } from '../../../src/operator/backup/log/verify-log.ts'
import { type ChangeRecord, TOPICS } from '../../../src/schemas/log.ts'
import type { SignedHead } from '../../../src/schemas/log-head.ts'
import { temporaryDirectory } from '../../support/embedded.ts'
import { AT } from '../../support/orders/evidence.ts'
import { bookOf, dice } from '../../support/orders/order-book.ts'
import { lifeOf, mutated } from '../../support/orders/order-changes.ts'

const signer = openHeadSigner(Buffer.from('11'.repeat(32), 'hex'), 'regtest') ?? expect.fail()

const CHANGES = bookOf(4, 3).flatMap(
  (order, n) => lifeOf([order, mutated(dice(n), order), mutated(dice(n + 7), order)]).changes,
)
const HEAD: SignedHead = signer.sign({
  ...CHANGES.reduce((digest, change) => digestWith(digest, writtenHash(change)), emptyDigest(0)),
  ...{ partition: 0, offset: CHANGES.length, at: AT },
})

const copied = (value: object, offset: number): CopiedRecord => ({
  ...{ offset, key: Buffer.from('k'), headers: {}, timestamp: 0 },
  value: Buffer.from(JSON.stringify(value)),
})

/** What is found in a backup whose own sums are right, made of these records. */
async function problemsOf(
  changes: readonly (ChangeRecord | null)[],
  heads: readonly object[],
  keys?: readonly string[],
): Promise<string[]> {
  const { path, drop } = temporaryDirectory()
  try {
    const files = new FolderFiles(path)
    const copy = new LogBackupWriter(files, null, 1)
    const end = changes.length
    const lifecycle = { topic: TOPICS.lifecycle, partition: 0 }
    const kept = changes.flatMap((change, offset) => (change ? [copied(change, offset)] : []))
    await copy.put(lifecycle, kept, end)
    copy.ends(lifecycle, end)
    const signed = { topic: TOPICS.heads, partition: 0 }
    await copy.put(signed, heads.map(copied), heads.length)
    copy.ends(signed, heads.length)
    copy.cuts = [{ snapshot: null, inbox: 0, lifecycleEnd: end }]
    const manifest = await copy.finish({
      ...{ format: 1, release: '0.9.0', madeAt: AT, runs: 1, network: 'regtest' },
      ...{ partitions: 1, schema: 1, logId: '6f1e2d3c-4b5a-4978-8a6b-5c4d3e2f1a0b' },
    })
    return (await verifyLog({ files, manifest }, keys)).problems
  } finally {
    drop()
  }
}

test('a backup that is as it was signed has no problem, with or without a known key', async () => {
  expect(await problemsOf(CHANGES, [HEAD])).toEqual([])
  expect(await problemsOf(CHANGES, [HEAD], [signer.publicKey])).toEqual([])
  expect(await problemsOf(CHANGES, [])).toEqual([])
})

test('one whose sums were made anew says what is not as it was signed', async () => {
  const wrong = (what: string) => [expect.stringMatching(`^partition 0: ${what}`)]
  const lacking = CHANGES.map((change, at) => (at === 5 ? null : change))
  expect(await problemsOf(lacking, [HEAD])).toEqual(wrong('11 records instead of the 12'))
  expect(await problemsOf(CHANGES.slice(0, 9), [HEAD])).toEqual(wrong('9 records instead'))
  const edited = CHANGES.map((one, at) => (at === 5 ? { ...one, reason: 'by me' } : one))
  expect(await problemsOf(edited, [HEAD])).toEqual(wrong('other records than the 12'))
  expect(await problemsOf(CHANGES, [], [signer.publicKey])).toEqual(wrong('has no signed head'))
  expect(await problemsOf(CHANGES, [HEAD], ['ab'.repeat(32)])).toEqual([
    ...wrong('1 of its 1 heads are signed by no known key'),
  ])
})
