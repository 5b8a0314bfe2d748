import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { temporaryDirectory } from '../support/embedded.ts'
import { ROOT } from '../support/tree.ts'

// systemd's own tools, over a folder in place of the machine's files.

/** "OK" of `systemd-analyze security` ends at 5.0; each of them had 1.7. */
const MAX_EXPOSURE = 20
const canAnalyze = spawnSync('systemd-analyze', ['--version']).error === undefined

const folder = temporaryDirectory()
beforeAll(() => {
  for (const name of ['etc/systemd/system', 'usr/local/bin']) {
    mkdirSync(join(folder.path, name), { recursive: true })
  }
  cpSync(join(ROOT, 'deploy/systemd'), join(folder.path, 'etc/systemd/system'), { recursive: true })
  for (const name of ['bitcoind', 'ord', 'market']) {
    writeFileSync(join(folder.path, 'usr/local/bin', name), '', { mode: 0o755 })
  }
})
afterAll(() => folder.drop())

const analyze = (...args: string[]): string =>
  execFileSync('systemd-analyze', [...args, `--root=${folder.path}`], {
    encoding: 'utf8',
    stdio: 'pipe',
  })

describe.skipIf(!canAnalyze).each(['bitcoind', 'ord', 'market'])('the unit of %s', (name) => {
  const unit = `${name}.service`

  test('is one that systemd reads without a complaint', () => {
    const said = analyze('verify', '--man=no', '--recursive-errors=no', '--generators=no', unit)
    expect(said).toBe('')
  })

  test('is exposed to little', () => {
    analyze('security', '--offline=true', `--threshold=${MAX_EXPOSURE}`, unit)
  })
})
