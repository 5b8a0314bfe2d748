import { expect, test } from 'vitest'
import type { BackupFiles } from '../../src/operator/backup/files/backup-files.ts'

/** What a backup needs of a folder and of a bucket alike; `open` gives files of a place that is empty. */
export function backupFilesContract(open: () => BackupFiles | Promise<BackupFiles>): void {
  test('an empty place has no files, and none is read from it', async () => {
    const files = await open()
    expect(await files.names()).toEqual([])
    expect(await files.names('orders.lifecycle-0')).toEqual([])
    expect(await files.read('log.json')).toBeNull()
    expect(await files.read('orders.lifecycle-0/0-00000000.gz')).toBeNull()
  })

  test('what is written is read, byte for byte', async () => {
    const files = await open()
    const contents = Buffer.from(Array.from({ length: 70_000 }, (_, n) => n % 251))
    await files.write('a-0/0-1.gz', contents)
    expect(await files.read('a-0/0-1.gz')).toEqual(contents)
    await files.write('empty', Buffer.alloc(0))
    expect(await files.read('empty')).toEqual(Buffer.alloc(0))
  })

  test('a file is replaced as a whole', async () => {
    const files = await open()
    await files.write('log.json', Buffer.from('the first, a long one'))
    await files.write('log.json', Buffer.from('the second'))
    expect(String(await files.read('log.json'))).toBe('the second')
  })

  test('names are those right below, not deeper ones and not those of a like prefix', async () => {
    const files = await open()
    for (const path of ['log.json', 'a-1/0.gz', 'a-1/5.gz', 'a-10/0.gz', 'a-2/0.gz'])
      await files.write(path, Buffer.from(path))
    expect((await files.names()).toSorted()).toEqual(['a-1', 'a-10', 'a-2', 'log.json'])
    expect((await files.names('a-1')).toSorted()).toEqual(['0.gz', '5.gz'])
    expect(await files.names('a')).toEqual([])
  })

  test('a file that is removed is gone, and no other', async () => {
    const files = await open()
    await files.write('a-1/0.gz', Buffer.from('one'))
    await files.write('a-1/5.gz', Buffer.from('other'))
    await files.remove('a-1/0.gz')
    expect(await files.read('a-1/0.gz')).toBeNull()
    expect(await files.names('a-1')).toEqual(['5.gz'])
  })
}
