import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { filesBelow, ROOT } from '../support/tree.ts'

const Updates = z.object({
  version: z.literal(2),
  updates: z.array(
    z.looseObject({
      'package-ecosystem': z.string(),
      directory: z.string(),
      schedule: z.object({ interval: z.enum(['weekly', 'monthly']) }),
    }),
  ),
})

/** What Dependabot reads the versions of a folder from, by the name that it has for these. */
const MANIFESTS: [ecosystem: string, isOne: (path: string) => boolean][] = [
  ['npm', (path) => basename(path) === 'package.json'],
  ['pip', (path) => basename(path) === 'pyproject.toml' || isOfPip(path)],
  ['gomod', (path) => basename(path) === 'go.mod'],
  ['docker', (path) => basename(path).startsWith('Dockerfile')],
  ['docker-compose', (path) => /^(?:docker-)?compose\b.*\.ya?ml$/.test(basename(path))],
  ['cargo', (path) => basename(path) === 'Cargo.toml'],
  ['maven', (path) => basename(path) === 'pom.xml'],
]

const isOfPip = (path: string): boolean =>
  path.endsWith('.txt') && /^[\w.-]+==/m.test(readFileSync(join(ROOT, path), 'utf8'))

const files = filesBelow('.', new Set(['node_modules', '.git', 'dist', 'fixtures', 'data']))
const folderOf = (path: string): string => (dirname(path) === '.' ? '/' : `/${dirname(path)}`)

test('every manifest of the tree is looked at for new versions, and nothing else is', () => {
  const found = MANIFESTS.flatMap(([ecosystem, isOne]) =>
    files.filter(isOne).map((path) => `${ecosystem} ${folderOf(path)}`),
  )
  if (files.some((path) => path.startsWith('.github/workflows/'))) found.push('github-actions /')
  const { updates } = Updates.parse(parse(readFileSync('.github/dependabot.yml', 'utf8')))
  const named = updates.map((one) => `${one['package-ecosystem']} ${one.directory}`)
  expect(named.toSorted()).toEqual([...new Set(found)].toSorted())
})

test('every image is named by a line that Dependabot reads, with a version', () => {
  const images = files
    .filter((path) => basename(path).startsWith('Dockerfile'))
    .flatMap((path) => {
      const lines = readFileSync(join(ROOT, path), 'utf8').matchAll(/^FROM (\S+)(?: AS (\S+))?$/gm)
      const stages = new Set<string>()
      return [...lines].flatMap(([, image = '', stage]) => {
        const isStage = stages.has(image)
        if (stage) stages.add(stage)
        return isStage ? [] : [image]
      })
    })
  expect(images.length).toBeGreaterThan(3)
  for (const image of images) expect(image).toMatch(/^[\w./-]+:\d[\w.-]*(?:@sha256:[0-9a-f]{64})?$/)
})
