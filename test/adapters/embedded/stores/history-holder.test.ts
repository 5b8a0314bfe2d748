import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { historyHolder } from '../../../../src/adapters/embedded/stores/history-holder.ts'
import { temporaryDirectory } from '../../../support/embedded.ts'

const OTHER = process.pid + 1

test.each<[what: string, pid: number, locks: (ino: number) => string, holder: number | null]>([
  ['locked by the process that it names', OTHER, (ino) => lock(OTHER, ino), OTHER],
  ['left by a process that was killed', OTHER, () => '', null],
  ['of a process that locks another file', OTHER, (ino) => lock(OTHER, ino + 1), null],
  ['locked by this process', process.pid, (ino) => lock(process.pid, ino), null],
])('a folder of chDB with a status %s', (_, pid, locks, holder) => {
  const { path, drop } = temporaryDirectory()
  const status = join(path, 'status')
  writeFileSync(status, `PID: ${pid}\nStarted at: 2026-11-28 13:06:21\nRevision: 54513\n`)
  writeFileSync(join(path, 'locks'), locks(statSync(status).ino))
  expect(historyHolder(path, join(path, 'locks'))).toBe(holder)
  drop()
})

const lock = (pid: number, ino: number): string =>
  `23: FLOCK  ADVISORY  WRITE 1 fe:00:7 0 EOF\n24: FLOCK  ADVISORY  WRITE ${pid} fe:00:${ino} 0 EOF\n`

test('a folder without a status, or a system that does not show locks', () => {
  const { path, drop } = temporaryDirectory()
  expect(historyHolder(path)).toBeNull()
  writeFileSync(join(path, 'status'), `PID: ${OTHER}\n`)
  expect(historyHolder(path, join(path, 'nowhere'))).toBeNull()
  drop()
})
