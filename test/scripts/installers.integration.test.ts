import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { StandIns } from '../support/scripts/stand-ins.ts'
import { waitUntil } from '../support/services/programs.ts'
import { ROOT } from '../support/tree.ts'

let here: StandIns
beforeEach(() => {
  here = new StandIns()
})
afterEach(() => here.drop())

/** What the cache holds besides locks. */
const cached = () => readdirSync(here.cache).filter((name) => !name.endsWith('.lock'))
const hashOf = (...files: string[]) => {
  const hash = createHash('sha256')
  for (const file of files) hash.update(readFileSync(join(ROOT, file)))
  return hash.digest('hex').slice(0, 16)
}
const counted = (name: string) =>
  `n=$(($(cat "$STAND_INS/${name}" 2>/dev/null || echo 0) + 1)); echo $n >"$STAND_INS/${name}"`

const LISTS = 'E: Could not get lock /var/lib/apt/lists/lock. It is held by process 7 (apt-get)'

test('while another program updates the lists of apt, it is waited for', async () => {
  here.program('sleep', 'echo "$1" >>"$STAND_INS/slept"')
  here.program(
    'apt-get',
    `case "$*" in *update*) ${counted('updates')}; [ $n -gt 2 ] || { echo "${LISTS}" >&2; exit 100; } ;;
     *) echo "$*" >"$STAND_INS/installed" ;; esac`,
  )
  expect(await here.run('apt-install', 'a', 'b')).toEqual({ code: 0, stdout: '', stderr: '' })
  expect(readFileSync(join(here.path, 'slept'), 'utf8')).toBe('5\n5\n')
  expect(readFileSync(join(here.path, 'installed'), 'utf8')).toMatch(/ install .* a b\n$/)
})

test.each([
  'E: no network',
  'E: Could not open lock file /var/lib/apt/lists/lock - open (13: Permission denied)',
])('what else apt says ends the installation at once: %s', async (said) => {
  here.program('sleep', 'exit 9')
  here.program('apt-get', `echo "${said}" >&2; exit 100`)
  expect(await here.run('apt-install', 'a')).toEqual({ code: 1, stdout: '', stderr: `${said}\n` })
})

/** Unpacks the program first, and for a while what it needs. */
const UNPACKS = `folder=$3/node_modules/node-${process.platform}-${process.arch}
mkdir -p "$folder/bin"
printf '#!/bin/sh\\n' >"$folder/bin/node"
chmod +x "$folder/bin/node"
echo "$$" >>"$STAND_INS/begun"
sleep 0.3
touch "$folder/whole"`

const wholeNodes = () =>
  cached().filter((name) =>
    existsSync(
      join(here.cache, name, `node_modules/node-${process.platform}-${process.arch}/whole`),
    ),
  )

test('a Node that was interrupted while it was unpacked is fetched again', async () => {
  here.program('npm', UNPACKS)
  const interrupted = here.start('runtimes', 'nodes')
  const exit = once(interrupted, 'exit')
  await waitUntil('npm unpacks', () => existsSync(join(here.path, 'begun')))
  process.kill(-(interrupted.pid ?? 0), 'SIGKILL')
  await exit
  expect((await here.run('runtimes', 'nodes')).code).toBe(0)
  expect(wholeNodes()).toHaveLength(3)
  expect(cached()).toHaveLength(3)
})

test('two that fetch Node for one cache do it one after the other', async () => {
  here.program('npm', UNPACKS)
  const runs = await Promise.all([here.run('runtimes', 'nodes'), here.run('runtimes', 'nodes')])
  expect(runs.map(({ code }) => code)).toEqual([0, 0])
  expect(readFileSync(join(here.path, 'begun'), 'utf8').trim().split('\n')).toHaveLength(3)
  expect(wholeNodes()).toHaveLength(3)
})

test('without a registry, what fetches Node says what npm says', async () => {
  here.variables = {
    npm_config_registry: 'http://127.0.0.1:9',
    npm_config_fetch_retries: '0',
    npm_config_cache: join(here.path, 'npm'),
  }
  const { code, stderr } = await here.run('runtimes', 'nodes')
  expect(code).not.toBe(0)
  expect(stderr).toContain('ECONNREFUSED')
})

test('two that make one virtual environment make it once, and whole', async () => {
  here.program(
    'python3',
    `mkdir -p "$3/bin"
${counted('made')}
printf '#!/bin/sh\\nsleep 0.3\\ntouch "%s/whole"\\n' '$(dirname "$0")' >"$3/bin/python"
chmod +x "$3/bin/python"
sleep 0.3`,
  )
  const pinned = 'scripts/check-canonical.txt'
  const runs = await Promise.all([
    here.run('python-tools', pinned),
    here.run('python-tools', pinned),
  ])
  const folder = `check-canonical-${hashOf(pinned)}`
  expect(runs.map(({ code, stdout }) => [code, stdout])).toEqual([
    [0, `${join(here.cache, folder)}\n`],
    [0, `${join(here.cache, folder)}\n`],
  ])
  expect(readFileSync(join(here.path, 'made'), 'utf8')).toBe('1\n')
  expect(cached()).toEqual([folder])
  expect(readdirSync(join(here.cache, folder))).toEqual(['bin'])
  expect(readdirSync(join(here.cache, folder, 'bin'))).toEqual(['python', 'whole'])
})

/** All that `scripts/services` asks for before it installs. */
function builders(): void {
  for (const name of ['cargo', 'apt-get', 'dpkg', 'go', 'mvn', 'java']) here.program(name, '')
}

test('an installation of services that fails leaves nothing behind', async () => {
  builders()
  here.program('mvn', 'mkdir lib; touch lib/half; echo "no such artifact" >&2; exit 1')
  const { code, stderr } = await here.run('services', 'install')
  expect([code, stderr]).toEqual([1, expect.stringContaining('no such artifact')])
  expect([cached(), readdirSync(here.temporary)]).toEqual([[], []])
})

test.each(['SIGTERM', 'SIGHUP', 'SIGINT'] as const)(
  'an installation of services that %s ends leaves nothing behind',
  async (signal) => {
    builders()
    here.program('mvn', 'touch "$STAND_INS/begun"; exec sleep 60')
    const interrupted = here.start('services', 'install')
    const exit = once(interrupted, 'exit')
    await waitUntil('Maven fetches', () => existsSync(join(here.path, 'begun')))
    process.kill(-(interrupted.pid ?? 0), signal)
    await exit
    expect([cached(), readdirSync(here.temporary)]).toEqual([[], []])
  },
)

test('a Java that cannot run Kafka says why', async () => {
  builders()
  here.program('java', 'echo "UnsupportedClassVersionError: class file version 61.0"; exit 1')
  mkdirSync(join(here.cache, 'kafka-4.1.0/lib'), { recursive: true })
  const { code, stderr } = await here.run('services', 'install')
  expect([code, stderr]).toEqual([1, expect.stringContaining('UnsupportedClassVersionError')])
  expect(readdirSync(join(here.cache, 'kafka-4.1.0/lib'))).toEqual([])
})

test('a module that cannot be fetched is named with the reason', async () => {
  const scorer = hashOf('scripts/kube-score/go.mod', 'scripts/kube-score/go.sum')
  here.file(join(here.cache, `kube-score-${scorer}`), '')
  mkdirSync(join(here.cache, `check-deploy-${hashOf('scripts/check-deploy.txt')}`))
  here.program('kubectl', '')
  here.program('go', `printf '{"Path": "a", "Error": "dial tcp: no route to host"}'; exit 1`)
  const { code, stderr } = await here.run('check-deploy', 'install')
  expect([code, stderr]).toEqual([1, 'dial tcp: no route to host\n'])
})

test('a cache that holds all is used by those who cannot write to it', async () => {
  for (const version of /=(\d.+)/g[Symbol.matchAll](runtimes())) {
    here.file(
      join(
        here.cache,
        `node-${version[1]}/node_modules/node-${process.platform}-${process.arch}/bin/node`,
      ),
      '',
    )
  }
  symlinkSync('/nowhere/lock', join(here.cache, 'runtimes.lock'))
  writeFileSync(join(here.path, 'unused'), '')
  expect(await here.run('runtimes', 'nodes')).toMatchObject({ code: 0, stderr: '' })
})

const runtimes = () => readFileSync(join(ROOT, 'scripts/runtimes'), 'utf8')
