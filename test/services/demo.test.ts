import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { temporaryDirectory } from '../support/embedded.ts'
import { programPath, waitUntil } from '../support/services/programs.ts'
import { type DemoRun, runDemo, startDemo, valuesOf } from '../support/services/run-demo.ts'

describe('the demo on Bitcoin Core and ord', () => {
  let run: DemoRun
  beforeAll(async () => {
    run = await runDemo(['--real'])
  })

  test('every expectation holds: it ends with 0 and says so', () => {
    expect([run.code, run.stderr]).toEqual([0, ''])
    expect(run.stdout).toMatch(/^ {2}full node {5}Bitcoin Core \S+ on http:\/\/127\.0\.0\.1:/m)
    expect(run.stdout).toMatch(/^ {2}asset index {3}ord \S+ on http:\/\/127\.0\.0\.1:/m)
    expect(run.stdout).toMatch(/^8 acts, [0-9]+ requests, every answer as it had to be\.$/m)
  })

  test('Core accepts each purchase that the preflight allowed', () => {
    const allowed = valuesOf(run, 'txid')
    expect(allowed).toHaveLength(3)
    expect(valuesOf(run, 'accepts')).toEqual(expect.arrayContaining(allowed))
  })

  test('ord finds each inscription sold in the output of its buyer, at its own offset', () => {
    const [sold, , reorganised] = valuesOf(run, 'txid')
    const satpoints = valuesOf(run, 'satpoint')
    expect(satpoints.filter((one) => one.endsWith(':1:0'))).toEqual([`${sold}:1:0`])
    // Before the reorg and after it.
    expect(satpoints.filter((one) => one.includes(':1:777'))).toEqual([
      `${reorganised}:1:777`,
      `${reorganised}:1:777`,
    ])
    expect(valuesOf(run, 'pays')).toHaveLength(3)
  })

  test('what would lose an asset is refused, though Core would mine it', () => {
    expect(valuesOf(run, 'rejectReason')).toEqual([
      'asset_to_fee',
      'asset_burned',
      'asset_to_payout',
    ])
    expect(run.stdout.match(/^ {6}node {4}would take it +yes$/gm)).toHaveLength(3)
  })
})

describe('an end before its time leaves no server and no folder', () => {
  /** Processes that were started with a path in this folder. */
  const runningIn = (folder: string): string[] =>
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(commandOf)
      .filter((command) => command.includes(folder))
  const left = (folder: string) => readdirSync(folder).filter((name) => name.startsWith('market-'))

  test('when its terminal closes while it opens', async () => {
    const { path, drop } = temporaryDirectory()
    const { child, ended } = startDemo(['--real'], { ...process.env, TMPDIR: path })
    await waitUntil('a node runs', () => runningIn(path).some((one) => one.includes('bitcoind')))
    child.kill('SIGHUP')
    expect((await ended).code).toBe(129)
    await waitUntil('its servers end', () => runningIn(path).length === 0)
    expect(left(path)).toEqual([])
    drop()
  })

  test('when a part does not open after the others', async () => {
    const { path, drop } = temporaryDirectory()
    const cache = join(path, 'cache')
    cacheWith(cache, 'if [ "$1" = --version ]; then exit 9; fi')
    const variables = { ...process.env, TMPDIR: path, MARKET_SERVICES_CACHE: cache }
    const { code, stderr } = await runDemo(['--real'], variables)
    expect([code, stderr]).toEqual([1, expect.stringContaining('Command failed')])
    await waitUntil('its servers end', () => runningIn(path).length === 0)
    expect(left(path)).toEqual([])
    drop()
  })
})

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

/** The servers of this machine, and an ord that first runs this line. */
function cacheWith(cache: string, line: string): void {
  mkdirSync(cache)
  const folderOf = (program: string) => dirname(dirname(program))
  const [core, ord] = [programPath('BITCOIND'), programPath('ORD')]
  symlinkSync(folderOf(core), join(cache, basename(folderOf(core))))
  const program = join(cache, basename(folderOf(ord)), 'bin/ord')
  mkdirSync(dirname(program), { recursive: true })
  writeFileSync(program, `#!/bin/sh\n${line}\nexec "${ord}" "$@"\n`)
  chmodSync(program, 0o755)
}
