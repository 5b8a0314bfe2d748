import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../../support/tree.ts'

const MODULE = join(ROOT, 'src/operator/log/temporary-folder.ts')

/** A command that works in its folder; it prints which, and lives on until a signal ends it. */
async function begin(before = '') {
  const script = `
    import { deleteAtSignals, makeTemporaryFolder } from ${JSON.stringify(MODULE)}
    ${before}
    const folder = makeTemporaryFolder('market-copy-')
    deleteAtSignals(folder)
    process.stdout.write(folder)
    setInterval(() => {}, 1_000)
  `
  const args = ['--import', 'tsx', '--input-type=module', '--eval', script]
  const command = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] })
  const [folder] = await once(command.stdout, 'data')
  return { command, folder: String(folder) }
}

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s leaves no folder behind',
  async (signal) => {
    const { command, folder } = await begin()
    expect(existsSync(folder)).toBe(true)
    command.kill(signal)
    expect(await once(command, 'exit')).toEqual([null, signal])
    expect(existsSync(folder)).toBe(false)
  },
)

test('a second signal ends a command that waited for the first alone, and leaves none either', async () => {
  const { command, folder } = await begin("process.once('SIGINT', () => process.stdout.write('x'))")
  command.kill('SIGINT')
  await once(command.stdout, 'data')
  expect(existsSync(folder)).toBe(true)
  command.kill('SIGINT')
  expect(await once(command, 'exit')).toEqual([null, 'SIGINT'])
  expect(existsSync(folder)).toBe(false)
})

test('a command that waits for the signal deletes its folder itself', async () => {
  const { command, folder } = await begin("process.once('SIGINT', () => process.exit(7))")
  command.kill('SIGINT')
  expect(await once(command, 'exit')).toEqual([7, null])
  expect(existsSync(folder)).toBe(true)
  rmSync(folder, { recursive: true })
})
