import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { temporaryDirectory } from '../support/embedded.ts'
import { waitUntil } from '../support/services/programs.ts'
import { ROOT } from '../support/tree.ts'

let directory: ReturnType<typeof temporaryDirectory>
beforeEach(() => {
  directory = temporaryDirectory()
})
afterEach(() => directory.drop())

/** A program that ignores what signals ask for, as a server that runs with nohup, and a file. */
const MEASURES = `
import './bench/harness/leave-nothing.ts'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startProgram } from './test/support/services/programs.ts'

const folder = mkdtempSync(join(tmpdir(), 'market-bench-'))
const deaf = 'trap "" HUP INT TERM; echo begun >&2; while :; do sleep 1; done'
const { pid } = startProgram('bash', ['-c', deaf], join(folder, 'log'))
console.log(pid)
process.stdin.once('data', () => { throw new Error('it fails') })
`

async function measuring() {
  const args = ['--import', 'tsx', '--input-type=module', '--eval', MEASURES]
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, TMPDIR: directory.path },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return { child, program: Number(line), ended: once(child, 'exit') }
}

/** After the end of the process that measured. */
async function nothingIsLeft(program: number): Promise<void> {
  await waitUntil('its program ends', () => !existsSync(`/proc/${program}`))
  const left = readdirSync(directory.path).filter((name) => name.startsWith('market-'))
  expect(left).toEqual([])
}

test.each([
  ['SIGHUP', 129],
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('what %s ends leaves no server and no folder', async (signal, code) => {
  const { child, program, ended } = await measuring()
  child.kill(signal)
  expect(await ended).toEqual([code, null])
  await nothingIsLeft(program)
})

test('nor does what fails', async () => {
  const { child, program, ended } = await measuring()
  child.stdin.write('now')
  expect(await ended).toEqual([1, null])
  await nothingIsLeft(program)
})
