import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { CopiedRecord } from '../../../src/adapters/kafka/copy/raw-record.ts'
import { FolderFiles } from '../../../src/operator/backup/files/folder-files.ts'
import { LogBackupWriter } from '../../../src/operator/backup/log/log-backup-writer.ts'
import { recordsInFiles } from '../../../src/operator/backup/log/read-segment.ts'
import { verifyLog } from '../../../src/operator/backup/log/verify-log.ts'
import { TOPICS } from '../../../src/schemas/log.ts'
import { temporaryDirectory } from '../../support/embedded.ts'
import { AT } from '../../support/orders/evidence.ts'

const PLACE = { topic: TOPICS.dead, partition: 0 }
const room = temporaryDirectory()
afterAll(() => room.drop())

const recordAt = (offset: number, bytes: number): CopiedRecord => ({
  ...{ offset, key: Buffer.from('k'), headers: {}, timestamp: 0 },
  value: Buffer.alloc(bytes, offset),
})

/** A run that copies these records more. */
async function run(files: FolderFiles, bytes: readonly number[]) {
  const last = await LogBackupWriter.lastOf(files)
  const copy = new LogBackupWriter(files, last, 1)
  const from = copy.next(PLACE)
  const end = from + bytes.length
  await copy.put(
    PLACE,
    bytes.map((size, at) => recordAt(from + at, size)),
    end,
  )
  copy.ends(PLACE, end)
  return await copy.finish({
    ...{ format: 1, release: '0.9.0', madeAt: AT, runs: (last?.runs ?? 0) + 1 },
    ...{ network: 'regtest', partitions: 1, schema: 1 },
    logId: '6f1e2d3c-4b5a-4978-8a6b-5c4d3e2f1a0b',
  })
}

const partOf = ({ parts }: Awaited<ReturnType<typeof run>>) =>
  parts.find(({ topic }) => topic === PLACE.topic) ?? expect.fail()

describe('a backup of many small runs', () => {
  const files = new FolderFiles(join(room.path, 'small'))

  test('has a few files, which are as they were written', async () => {
    for (let n = 0; n < 9; n += 1) await run(files, [100, 200])
    // Larger than a file is to be.
    await run(files, [2 ** 22])
    const manifest = await run(files, [5])
    const part = partOf(manifest)
    expect(part.segments.map(({ from, next }) => [from, next])).toEqual([
      [0, 19],
      [19, 20],
    ])
    expect((await verifyLog({ files, manifest })).problems).toEqual([])
    const offsets: number[] = []
    for await (const records of recordsInFiles(files, part))
      offsets.push(...records.map(({ offset }) => offset))
    expect(offsets).toEqual(Array.from({ length: 20 }, (_, at) => at))
    const names = await files.names('orders.dead-0')
    expect(names).toHaveLength(2)
  })

  test('and a run without records leaves them', async () => {
    const before = partOf(await run(files, []))
    expect(partOf(await run(files, [])).segments).toEqual(before.segments)
  })
})

test('a run that would take up a damaged file is refused, and leaves the backup', async () => {
  const files = new FolderFiles(join(room.path, 'damaged'))
  const [segment] = partOf(await run(files, [1])).segments
  writeFileSync(join(files.where, segment!.path), 'x')
  await expect(run(files, [1])).rejects.toThrow('is damaged: ')
  expect((await LogBackupWriter.lastOf(files))?.runs).toBe(1)
})
