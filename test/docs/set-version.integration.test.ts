import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { temporaryDirectory } from '../support/embedded.ts'
import { filesBelow, ROOT } from '../support/tree.ts'

const room = temporaryDirectory()
afterAll(() => room.drop())

const COPIED = ['clients', 'deploy', 'docs', 'scripts', 'src/http', 'compose.yaml']
const FILES = [...COPIED, 'package.json', 'package-lock.json']

test('a version is set wherever a manifest or a page names an image', () => {
  for (const name of FILES)
    cpSync(join(ROOT, name), join(room.path, name), {
      recursive: true,
      filter: (path) => !path.includes('/node_modules'),
    })
  execFileSync(join(room.path, 'scripts/set-version'), ['7.8.9'], { stdio: 'pipe' })
  const named = ['compose.yaml', ...filesBelow('deploy'), ...filesBelow('docs', new Set(['adr']))]
    .filter((path) => /\.(ya?ml|md)$/.test(path))
    .flatMap((path) =>
      [
        ...readFileSync(join(room.path, path), 'utf8').matchAll(
          /(?:\bmarket:|newTag: )(\d+\.\d+\.\d+)/g,
        ),
      ].map(([, version]) => [path, version]),
    )
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter(([, version]) => version !== '7.8.9')).toEqual([])
})
