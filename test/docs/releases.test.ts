import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { filesBelow, ROOT } from '../support/tree.ts'

const Version = z.string().regex(/^\d+\.\d+\.\d+$/)
const Releases = z.array(
  z.strictObject({
    version: Version,
    date: z.iso.date(),
    commit: z.string().regex(/^[0-9a-f]{40}$/),
  }),
)
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const releases = Releases.parse(JSON.parse(read('releases.json')))
const { version } = z.object({ version: Version }).parse(JSON.parse(read('package.json')))

/** So that versions compare as texts. */
const sortable = (text: string): string =>
  text
    .split('.')
    .map((part) => part.padStart(6, '0'))
    .join('.')

describe('releases.json', () => {
  test('names each release once, the newest first', () => {
    const versions = releases.map((release) => sortable(release.version))
    expect(versions).toEqual([...new Set(versions)].sort().reverse())
    const dates = releases.map(({ date }) => date)
    expect(dates).toEqual(dates.toSorted().reverse())
  })

  test('names none that is newer than this tree', () => {
    for (const release of releases)
      expect(sortable(release.version) <= sortable(version), release.version).toBe(true)
  })
})

describe('the changelog', () => {
  const headings = [...read('CHANGELOG.md').matchAll(/^## (.+)\n\n### (.+)$/gm)]

  test('has a dated part for each release, which begins with its upgrade', () => {
    const dated = headings.filter(([, heading]) => heading !== 'Unreleased')
    const named = releases.map((release) => `${release.version} (${release.date})`)
    const own = releases[0]?.version === version ? [] : [expect.stringMatching(`^${version} \\(`)]
    const found = dated.map(([, heading]) => heading)
    // The commit of a release cannot be named in itself.
    expect(found).toEqual(found.length > named.length ? [...own, ...named] : named)
    for (const [, heading, first] of dated) expect(first, heading).toBe('Upgrade')
  })
})

describe('the version of this tree', () => {
  test.each([
    ['package-lock.json', /^ {2}"version": "(.+)"/m],
    ['clients/typescript/package.json', /^ {2}"version": "(.+)"/m],
    ['clients/typescript/README.md', /psbt-market-client-(.+)\.tgz/],
    ['clients/python/pyproject.toml', /^version = "(.+)"/m],
    ['src/http/openapi/document.ts', /^ {2}version: '(.+)'/m],
    ['docs/openapi.json', /^ {4}"version": "(.+)"/m],
    ['compose.yaml', /^ {2}image: market:(.+)$/m],
    ['docs/kubernetes.md', /registry\.example\/market:(\S+)/],
  ])('%s', (path, pattern) => {
    expect(pattern.exec(read(path))?.[1]).toBe(version)
  })

  test('every manifest', () => {
    const named = filesBelow('deploy/k8s')
      .filter((path) => path.endsWith('.yaml'))
      .flatMap((path) => [...read(path).matchAll(/(?:image: market:|newTag: )(\S+)/g)])
      .map(([, found]) => found)
    expect(named.length).toBeGreaterThan(8)
    expect(new Set(named)).toEqual(new Set([version]))
  })
})
