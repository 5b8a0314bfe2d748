import { mkdirSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { MAX_FILE_BYTES } from '../../../src/operator/backup/files/backup-files.ts'
import { FolderFiles } from '../../../src/operator/backup/files/folder-files.ts'
import { LogBackupWriter } from '../../../src/operator/backup/log/log-backup-writer.ts'
import { backupFilesContract } from '../../contracts/backup-files.ts'
import { temporaryDirectory } from '../../support/embedded.ts'

const room = temporaryDirectory()
let opened = 0
const emptyFolder = () => {
  opened += 1
  return join(room.path, String(opened), 'not made yet')
}
afterAll(() => room.drop())

backupFilesContract(() => new FolderFiles(emptyFolder()))

test('no other user reads it', async () => {
  const files = new FolderFiles(emptyFolder())
  await files.write('a-0/0.gz', Buffer.from('x'))
  const modes = ['', 'a-0', 'a-0/0.gz'].map((path) => statSync(join(files.where, path)).mode)
  expect(modes.map((mode) => (mode & 0o777).toString(8))).toEqual(['700', '700', '600'])
})

test('what a first run left that was killed is no other content of the folder', async () => {
  const files = new FolderFiles(emptyFolder())
  for (const name of ['orders.inbox-0', 'lost+found'])
    mkdirSync(join(files.where, name), { recursive: true })
  writeFileSync(join(files.where, 'log.json.part'), '{"form')
  expect(await LogBackupWriter.lastOf(files)).toBeNull()
  writeFileSync(join(files.where, 'notes.txt'), 'mine')
  await expect(LogBackupWriter.lastOf(files)).rejects.toThrow('is not empty')
})

test('a file that is larger than any of a backup is not read', async () => {
  const files = new FolderFiles(emptyFolder())
  mkdirSync(files.where, { recursive: true })
  writeFileSync(join(files.where, 'log.json'), '')
  truncateSync(join(files.where, 'log.json'), MAX_FILE_BYTES + 1)
  await expect(files.read('log.json')).rejects.toThrow('is no file of a backup')
})
