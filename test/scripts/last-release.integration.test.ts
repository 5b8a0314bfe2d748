import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { StandIns } from '../support/scripts/stand-ins.ts'
import { ROOT } from '../support/tree.ts'

let here: StandIns
let origin: string
let clone: string
let commit: string

const git = (cwd: string, ...words: string[]): string =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...words], {
    cwd,
    encoding: 'utf8',
    stdio: 'pipe',
  }).trim()

function release(named: readonly object[]): void {
  writeFileSync(join(origin, 'releases.json'), JSON.stringify(named))
  git(origin, 'add', '.')
  git(origin, 'commit', '--quiet', '-m', 'names a release')
}

/** A repository with a release and a commit after it; builds are stand-ins. */
beforeEach(() => {
  here = new StandIns()
  here.program('npm', 'if [ "$1" = run ]; then mkdir -p dist/cli; cp content dist/cli/main.js; fi')
  origin = join(here.path, 'origin')
  clone = join(here.path, 'clone')
  mkdirSync(join(origin, 'scripts'), { recursive: true })
  git(origin, 'init', '--quiet')
  for (const name of ['last-release', 'cache.bash'])
    cpSync(join(ROOT, 'scripts', name), join(origin, 'scripts', name))
  writeFileSync(join(origin, 'content'), 'the release')
  git(origin, 'add', '.')
  git(origin, 'commit', '--quiet', '-m', 'a release')
  commit = git(origin, 'rev-parse', 'HEAD')
  writeFileSync(join(origin, 'content'), 'what follows it')
  release([{ version: '1.0.0', commit }])
})
afterEach(() => here.drop())

const cloned = (...options: string[]) =>
  git(here.path, 'clone', '--quiet', ...options, `file://${origin}`, clone)

test.each([
  ['a whole clone', []],
  ['a shallow one, which fetches the commit', ['--depth', '1']],
])('%s builds the commit that is named', async (_, options) => {
  cloned(...options)
  const { code, stdout } = await here.runAt(join(clone, 'scripts/last-release'), 'install')
  expect([code, stdout]).toEqual([0, `${here.cache}/release-${commit}/dist/cli/main.js\n`])
  expect(readFileSync(stdout.trim(), 'utf8')).toBe('the release')
  expect(git(clone, 'status', '--porcelain')).toBe('')
})

test('two that build it for one cache build it once', async () => {
  cloned()
  const runs = await Promise.all(
    [1, 2].map(() => here.runAt(join(clone, 'scripts/last-release'), 'install')),
  )
  expect(runs.map(({ code }) => code)).toEqual([0, 0])
  expect(
    runs
      .map(({ stderr }) => stderr)
      .join('')
      .match(/building/g),
  ).toHaveLength(1)
})

test('what was built is packed, and not built again', async () => {
  here.program(
    'npm',
    `case "$1" in
      run) mkdir -p dist/cli; cp content dist/cli/main.js ;;
      pack) [ "$*" = "pack --silent --ignore-scripts --pack-destination $STAND_INS/packages" ]
        cp dist/cli/main.js "$5/a-1.0.0.tgz"; echo a-1.0.0.tgz ;;
    esac`,
  )
  cloned()
  const packages = join(here.path, 'packages')
  const script = join(clone, 'scripts/last-release')
  for (const _ of [1, 2]) {
    const { code, stdout } = await here.runAt(script, 'pack', packages)
    expect([code, stdout]).toEqual([0, `${packages}/a-1.0.0.tgz\n`])
    expect(readFileSync(stdout.trim(), 'utf8')).toBe('the release')
  }
  expect((await here.runAt(script, 'pack')).code).toBe(2)
})

test('a clone that cannot get the commit fails, and says what mends it', async () => {
  cloned('--depth', '1')
  rmSync(origin, { recursive: true })
  const { code, stdout, stderr } = await here.runAt(join(clone, 'scripts/last-release'), 'install')
  expect([code, stdout]).toEqual([3, ''])
  expect(stderr).toContain(`this clone has no commit ${commit}: git fetch --unshallow\n`)
})

test('a copy without history builds nothing, and says so', async () => {
  cloned()
  rmSync(join(clone, '.git'), { recursive: true })
  const { code, stdout, stderr } = await here.runAt(join(clone, 'scripts/last-release'), 'install')
  expect([code, stdout]).toEqual([0, ''])
  expect(stderr).toBe(`last-release: this tree is no repository: nothing is built of ${commit}\n`)
})

test('where no release is named there is none to build', async () => {
  release([])
  cloned()
  const run = await here.runAt(join(clone, 'scripts/last-release'), 'install')
  expect(run).toEqual({ code: 0, stdout: '', stderr: 'last-release: there is no release yet\n' })
})
