import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { importsIn, isRelative, targetOf } from './support/module-imports.ts'
import { filesBelow, ROOT } from './support/tree.ts'

/** What a unit test does without, by the module that starts it. */
const STARTS: Readonly<Record<string, string>> = {
  'node:child_process': 'a process',
  'playwright-core': 'a browser',
  'guide/build.ts': 'a build of the guide',
  'src/adapters/embedded/stores/history.ts': "ClickHouse's engine",
  'src/adapters/embedded/threads/block-pool.ts': 'a thread for blocks',
  'src/adapters/embedded/threads/signature-pool.ts': 'a thread for signatures',
  'src/adapters/redis/views/document-pool.ts': 'a thread for documents',
  'src/cli/program.ts': 'a command',
  'src/http/app.ts': 'a gateway',
  'src/roles/all-in-one.ts': 'the whole service',
  'src/roles/single-role.ts': 'a role',
  'test/simulation/world.ts': 'the service in simulated time',
}
/** Suites on real parts: they start whatever they like. */
const ON_REAL_PARTS = /^test\/(?:services|faults|abuse)\//

const tests = filesBelow('test').filter(
  (path) => path.endsWith('.test.ts') && !ON_REAL_PARTS.test(path),
)
const isIntegration = (path: string): boolean => path.endsWith('.integration.test.ts')

/** The modules that a file loads, those of the tree as paths from the root; types load none. */
function loadedBy(path: string): string[] {
  const text = readFileSync(join(ROOT, path), 'utf8')
  return importsIn(ts.createSourceFile(path, text, ts.ScriptTarget.Latest))
    .filter(({ isTypeOnly }) => !isTypeOnly)
    .map(({ specifier }) => (isRelative(specifier) ? targetOf(path, specifier) : specifier))
}

const known = new Map<string, string[]>()
/**
 * What a test starts, by itself or by its support. Code of `src` is followed no further: it starts a
 * part only when it is called, and whoever calls it imports it.
 */
function startedBy(path: string, seen = new Set<string>()): string[] {
  if (seen.has(path)) return []
  seen.add(path)
  const loaded = known.get(path) ?? loadedBy(path)
  known.set(path, loaded)
  return loaded.flatMap((target) => {
    const part = STARTS[target]
    if (part !== undefined) return [part]
    return target.endsWith('.ts') && !target.startsWith('src/') ? startedBy(target, seen) : []
  })
}

test('a unit test starts nothing: what does is named *.integration.test.ts', () => {
  const faults = tests
    .filter((path) => !isIntegration(path))
    .flatMap((path) => startedBy(path).map((part) => `${path} starts ${part}`))
  expect(faults).toEqual([])
})

test('an integration test starts something: what does not is a unit test', () => {
  const integration = tests.filter(isIntegration)
  expect(integration.length).toBeGreaterThan(0)
  expect(integration.filter((path) => startedBy(path).length === 0)).toEqual([])
})

test('the modules of the table exist', () => {
  const files = Object.keys(STARTS).filter((name) => name.endsWith('.ts'))
  expect(files.filter((name) => !existsSync(join(ROOT, name)))).toEqual([])
})
