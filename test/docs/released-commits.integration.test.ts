import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { digestOf } from '../../scripts/digest-of.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { ROOT } from '../support/tree.ts'

const releases = JSON.parse(readFileSync(join(ROOT, 'releases.json'), 'utf8')) as {
  version: string
  commit: string
}[]
const git = (...words: string[]): string =>
  execFileSync('git', words, { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' })

/** A clone that has all of the history. */
const isWhole = (): boolean => {
  try {
    return git('rev-parse', '--is-shallow-repository').trim() === 'false'
  } catch {
    return false
  }
}

test.runIf(isWhole())('the commit of a release is in the history, and says its version', () => {
  for (const { version, commit } of releases) {
    git('merge-base', '--is-ancestor', commit, 'HEAD')
    expect(JSON.parse(git('show', `${commit}:package.json`))).toMatchObject({ version })
  }
})

interface Step {
  run?: string
  uses?: string
  with?: Record<string, string>
}
const stepsOf = (file: string): [job: string, steps: Step[]][] => {
  const { jobs } = parse(readFileSync(join(ROOT, '.github/workflows', file), 'utf8')) as {
    jobs: Record<string, { steps?: Step[] }>
  }
  return Object.entries(jobs).map(([job, { steps }]) => [`${file} ${job}`, steps ?? []])
}
const releaseJobs = [
  ...stepsOf('release.yml'),
  ...stepsOf('nightly.yml').filter(([job]) => job.endsWith(' whole')),
]

// A job that checks out the release has the files of that commit, and none that came later.
test.runIf(isWhole()).each(releaseJobs)('%s runs what its checkout has', (_, steps) => {
  const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'))
  const refs = checkouts.map((step) => step.with?.['ref'])
  // No job has both: a path of a step says then of which it is.
  expect(new Set(refs).size).toBeLessThanOrEqual(1)
  const tree = refs[0] === undefined ? 'HEAD' : releases[0]?.commit
  const { scripts } = JSON.parse(git('show', `${tree}:package.json`))
  for (const { run = '', with: inputs } of steps) {
    const read = inputs?.['node-version-file']
    const files = [...run.matchAll(/(?:scripts|\.ci)\/[\w-]+/g)].map(([file]) => file)
    for (const file of read === undefined ? files : [...files, read])
      expect(() => git('cat-file', '-e', `${tree}:${file}`), file).not.toThrow()
    for (const [, name = ''] of run.matchAll(/npm run ([\w:-]+)/g))
      expect(Object.keys(scripts)).toContain(name)
  }
})

test('the notes of a release are its part of the changelog, and of none there are none', () => {
  const notes = (version: string) =>
    execFileSync('scripts/release-notes', [version], { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' })
  for (const { version } of releases) {
    expect(notes(version).trimStart()).toMatch(/^### Upgrade\n/)
    expect(notes(version)).not.toMatch(/^## /m)
  }
  expect(() => notes('0.0.1')).toThrow()
})

test('the digest of the programs is what sha256sum says', () => {
  const { path, drop } = temporaryDirectory()
  execFileSync('bash', ['-c', 'mkdir a; echo 1 >a/b; echo 2 >c.js; echo 3 >a-b'], { cwd: path })
  const said = execFileSync(
    'bash',
    ['-c', 'find * -type f | LC_ALL=C sort | xargs sha256sum | sha256sum'],
    { cwd: path, encoding: 'utf8' },
  )
  expect(digestOf(path)).toBe(`sha256:${said.slice(0, 64)}`)
  drop()
})
