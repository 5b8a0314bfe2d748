import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

const CI = path.resolve(import.meta.dirname, '../../.ci')
const SCRIPTS = [
  'alerts',
  'schemathesis',
  'check-canonical',
  'check-deploy',
  'check-packages',
  'check-start',
  'check-python-client',
  'last-release',
  'runtimes',
  'services',
]
/** As `scripts/runtimes` names them. */
const NODES = ['NODE_20', 'NODE_24']
/** Suites that are vitest's, and the others. */
const NPM = `#!/usr/bin/env bash
echo "npm $* on $(node --which)"
case "$FAILS $*" in "$(node --which) run test:oldest "*) exit 7 ;; esac
[ "$1" = "$FAILS" ] || [ "$2" = "$FAILS" ] && { echo "npm: $FAILS does not hold"; exit 7; }
case "$*" in *--planted*) [ "$FAILS" = planted ] && exit 7 ;; esac
for argument in "$@"; do
  case "$argument" in --outputFile.json=*) printf '{"testResults":[],"numPassedTests":10,"numFailedTests":0}' >"\${argument#*=}" ;; esac
done
if [ -n "\${COUNTS:-}" ] && [ ! -s "$COUNTS" ]; then printf '{"passed":3,"failed":0}' >"$COUNTS"; fi
`

let folder = ''
/** A project whose checks and suites are stand-ins that report what the real ones report. */
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'market-ci-'))
  cpSync(CI, path.join(folder, '.ci'), { recursive: true })
  mkdirSync(path.join(folder, 'scripts'))
  mkdirSync(path.join(folder, 'bin'))
  for (const name of SCRIPTS) {
    program(path.join('scripts', name), `#!/bin/sh\nif [ "$FAILS" = ${name} ]; then exit 7; fi\n`)
  }
  program('bin/npm', NPM)
  const paths = NODES.map((name) => {
    mkdirSync(path.join(folder, name))
    const says = `if [ "$1" = --which ]; then echo ${name}; else exec "${process.execPath}" "$@"; fi`
    program(path.join(name, 'node'), `#!/bin/sh\n${says}\n`)
    return `${name}=${path.join(folder, name, 'node')}`
  })
  const printed = `printf '%s\\n' ${paths.join(' ')}`
  program(
    'scripts/runtimes',
    `#!/bin/sh\nif [ "$FAILS" = runtimes ]; then exit 7; fi\n${printed}\n`,
  )
})
afterEach(() => rmSync(folder, { recursive: true }))

function program(name: string, text: string): void {
  writeFileSync(path.join(folder, name), text)
  chmodSync(path.join(folder, name), 0o755)
}

function run(fails = 'nothing') {
  const { PATH = '' } = process.env
  const env = { PATH: `${path.join(folder, 'bin')}:${PATH}`, FAILS: fails }
  const { stdout, status } = spawnSync(path.join(folder, '.ci/run'), { env, encoding: 'utf8' })
  const lines = stdout.trimEnd().split('\n')
  return { code: status, last: lines.at(-1), text: stdout }
}

test('the last line is the sum over every suite', () => {
  // Five checks; vitest nine times; planted, seeds, rehearsal, schema, canonical, python, deploy.
  expect(run()).toMatchObject({ code: 0, last: '116 passed, 0 failed' })
})

test.each([
  ['the fetching of Node', 'runtimes', '0 passed, 1 failed'],
  ['the installation', 'ci', '0 passed, 1 failed'],
  ['lint', 'lint', '2 passed, 1 failed'],
  ['the types', 'typecheck', '2 passed, 1 failed'],
  ['the build', 'build', '2 passed, 1 failed'],
  // The simulation was begun, and has come as far as it has.
  ['what is built in parallel', 'services', expect.stringMatching(/^\d+ passed, [1-4] failed$/)],
  ['the last release', 'last-release', expect.stringMatching(/^\d+ passed, [1-4] failed$/)],
])('without %s it stops', (_, fails, last) => {
  const { code, last: said, text } = run(fails)
  expect([code, said], text).toEqual([1, last])
  expect(text).not.toContain('run test:services')
})

test.each([
  ['the unit suite', 'test', '106 passed, 1 failed'],
  ['the integration', 'test:integration', '96 passed, 2 failed'],
  ['what is on servers', 'test:services', '106 passed, 1 failed'],
  ['the faults', 'test:faults', '106 passed, 1 failed'],
  ['the unit suite on the oldest Node', 'NODE_20', '106 passed, 1 failed'],
  ['the start on the oldest Node', 'check-start', '115 passed, 1 failed'],
  ['the schema', 'test:schema', '113 passed, 1 failed'],
  ['the deployment', 'test:deploy', '113 passed, 1 failed'],
  ['the packages', 'check-packages', '115 passed, 1 failed'],
  ['a planted bug', 'planted', '113 passed, 1 failed'],
  ['the oracles', 'test:oracles', '106 passed, 1 failed'],
  ['the abuse', 'test:abuse', '96 passed, 2 failed'],
  ['the last suite', 'rehearse:mainnet', '113 passed, 1 failed'],
])('when %s fails the run fails, and all others run', (_, fails, last) => {
  const { code, last: said, text } = run(fails)
  expect([code, said], text).toEqual([1, last])
})

test('everything runs on the Node of the image, and unit tests and sockets on the oldest one too', () => {
  const ran = [...run().text.matchAll(/^npm (?:run )?(\S+).* on (NODE_\d+)$/gm)]
  const on = (wanted: string) =>
    ran.filter(([, , node]) => node === wanted).map(([, command = '']) => command)
  expect(on('NODE_20')).toEqual(['test:integration', 'test:oldest'])
  expect(on('NODE_24')).toEqual(expect.arrayContaining(['ci', 'lint', 'build', 'test', 'sim']))
  expect(ran).toHaveLength(on('NODE_20').length + on('NODE_24').length)
})

test('what failed in the background is printed', () => {
  program('scripts/services', '#!/bin/sh\necho services: no compiler\nexit 7\n')
  expect(run().text).toContain('services: no compiler')
})
