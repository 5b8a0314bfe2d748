import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
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
