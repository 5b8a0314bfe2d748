import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { temporaryDirectory } from '../support/embedded.ts'
import { waitUntil } from '../support/services/programs.ts'
import { ROOT } from '../support/tree.ts'

let directory: ReturnType<typeof temporaryDirectory>
beforeEach(() => {
  directory = temporaryDirectory()
})
afterEach(() => directory.drop())

/** The processes whose parent is this one. */
const childrenOf = (pid: number | undefined): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)

/** A soak of a small book, which has measured some seconds. */
async function soaking() {
  const out = join(directory.path, 'out')
  const temporary = join(directory.path, 'tmp')
  mkdirSync(temporary)
  const child = spawn(
    process.execPath,
    [
      ...['--import', 'tsx', 'bench/soak/main.ts'],
      ...['--orders', '20', '--minutes', '0.1', '--out', out],
    ],
    {
      cwd: ROOT,
      env: { ...process.env, TMPDIR: temporary, CHROMIUM: '/nowhere' },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  const said = Promise.all([text(child.stdout), text(child.stderr)])
  const closed = once(child, 'close') as Promise<[number | null]>
  const seconds = () =>
    existsSync(join(out, 'soak.json'))
      ? JSON.parse(readFileSync(join(out, 'soak.json'), 'utf8')).seconds.length
      : 0
  await waitUntil('it measures', () => {
    if (child.exitCode !== null) throw new Error('the soak has ended')
    return seconds() >= 2
  })
  return {
    child,
    said,
    closed,
    seconds,
    left: () => readdirSync(temporary).filter((name) => name.startsWith('market-')),
  }
}

test('a soak whose service dies says so, and keeps what it has measured', async () => {
  const { child, said, closed, seconds, left } = await soaking()
  for (const service of childrenOf(child.pid)) process.kill(service, 'SIGKILL')
  const [code] = await closed
  const [stdout, stderr] = await said
  expect([code, stdout]).toEqual([
    1,
    expect.stringMatching(/^20 orders, 0\.\d of 0\.1 minutes at /),
  ])
  expect(stdout).toMatch(/^heapMb /m)
  expect(stderr).toMatch(/has ended: SIGKILL|ECONNREFUSED|ECONNRESET|other side closed/)
  expect(seconds()).toBeGreaterThanOrEqual(2)
  expect(left()).toEqual([])
}, 120_000)

test('a soak whose terminal closes leaves no process and no folder', async () => {
  const { child, closed, seconds, left } = await soaking()
  const services = childrenOf(child.pid)
  child.kill('SIGHUP')
  expect(await closed).toEqual([129, null])
  await waitUntil('its service ends', () => services.every((pid) => !existsSync(`/proc/${pid}`)))
  expect(left()).toEqual([])
  expect(seconds()).toBeGreaterThanOrEqual(2)
}, 120_000)
