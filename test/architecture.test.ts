import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..')

/** What each folder of `src` may import besides itself (docs: "One way through the tree"). */
const MAY_IMPORT: Record<string, readonly string[]> = {
  schemas: [],
  domain: ['schemas'],
  ports: ['schemas', 'domain'],
  streams: ['schemas', 'domain', 'ports'],
  actors: ['schemas', 'domain', 'ports'],
  projections: ['schemas', 'domain', 'ports'],
  gateway: ['schemas', 'domain', 'ports', 'streams'],
  pairing: ['schemas', 'domain', 'ports', 'streams'],
  circles: ['schemas', 'domain', 'ports'],
  http: ['schemas', 'ports', 'gateway', 'pairing', 'circles'],
  adapters: ['schemas', 'domain', 'ports'],
  roles: [
    'schemas',
    'domain',
    'ports',
    'streams',
    'actors',
    'projections',
    'gateway',
    'pairing',
    'circles',
    'http',
    'adapters',
  ],
  cli: ['roles', 'schemas'],
}
/** Ports name types of the domain and nothing that runs. */
const TYPES_ONLY: [from: string, to: string][] = [['ports', 'domain']]
/**
 * The embedded history is ClickHouse's own engine in this process: it runs that adapter's SQL. What
 * both logs have in common is in `log`.
 */
const SHARED_ADAPTERS: Record<string, readonly string[]> = {
  devnet: ['disk'],
  embedded: ['clickhouse', 'disk', 'log', 'pool'],
  kafka: ['log'],
  redis: ['pool'],
}
/** What the lowest folder may use of others' code. */
const SCHEMAS_MAY_USE = ['zod']

const MOST_LINES = 400

interface Import {
  /** As it stands in the file. */
  specifier: string
  isTypeOnly: boolean
}

interface SourceFile {
  path: string
  text: string
  imports: Import[]
}

function filesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    return entry.isDirectory() ? filesBelow(path) : [path]
  })
}

function readSource(path: string): SourceFile {
  const text = readFileSync(join(ROOT, path), 'utf8')
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const imports: Import[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) {
      const isTypeOnly = ts.isImportDeclaration(node)
        ? isTypeImport(node.importClause)
        : node.isTypeOnly
      const { moduleSpecifier } = node
      if (moduleSpecifier && ts.isStringLiteral(moduleSpecifier))
        imports.push({ specifier: moduleSpecifier.text, isTypeOnly })
    }
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [argument] = node.arguments
      const specifier = argument && ts.isStringLiteral(argument) ? argument.text : null
      // A module that is chosen while the program runs would escape this test.
      imports.push({ specifier: specifier ?? '(computed)', isTypeOnly: false })
    }
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return { path, text, imports }
}

function isTypeImport(clause: ts.ImportClause | undefined): boolean {
  if (!clause) return false
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true
  const { namedBindings, name } = clause
  if (name || !namedBindings || !ts.isNamedImports(namedBindings)) return false
  return namedBindings.elements.length > 0 && namedBindings.elements.every((one) => one.isTypeOnly)
}

const sources = filesBelow('src')
  .filter((path) => path.endsWith('.ts'))
  .map(readSource)
const folderOf = (path: string): string => path.split('/')[1] ?? ''
const isRelative = (specifier: string): boolean => specifier.startsWith('.')
const targetOf = (path: string, specifier: string): string =>
  relative(ROOT, join(ROOT, dirname(path), specifier))

/** Everything that this rule finds wrong, one line each: an empty list is the only good one. */
const found = (check: (source: SourceFile) => string[]): string[] =>
  sources.flatMap((source) => check(source).map((problem) => `${source.path}: ${problem}`))

describe('the tree', () => {
  test('is read: every folder has a rule, and the rules are of folders that are there', () => {
    const folders = new Set(sources.map(({ path }) => folderOf(path)))
    expect([...folders].sort()).toEqual(Object.keys(MAY_IMPORT).sort())
    expect(sources.flatMap(({ imports }) => imports).length).toBeGreaterThan(500)
  })

  test('lets data flow one way: no folder imports what comes after it', () => {
    const problems = found(({ path, imports }) => {
      const from = folderOf(path)
      return imports
        .filter(({ specifier }) => isRelative(specifier))
        .filter(({ specifier, isTypeOnly }) => {
          const to = folderOf(targetOf(path, specifier))
          if (to === from) return false
          const isForTypes = TYPES_ONLY.some(([one, other]) => one === from && other === to)
          return !MAY_IMPORT[from]?.includes(to) || (isForTypes && !isTypeOnly)
        })
        .map(({ specifier }) => `imports ${specifier}`)
    })
    expect(problems).toEqual([])
  })

  test('keeps adapters apart: none imports another', () => {
    const problems = found(({ path, imports }) => {
      const [, folder, own = ''] = path.split('/')
      if (folder !== 'adapters') return []
      return imports
        .filter(({ specifier }) => isRelative(specifier))
        .map(({ specifier }) => targetOf(path, specifier).split('/'))
        .filter(([, to, adapter = '']) => to === 'adapters' && adapter !== own)
        .filter(([, , adapter = '']) => !SHARED_ADAPTERS[own]?.includes(adapter))
        .map((target) => `imports ${target.join('/')}`)
    })
    expect(problems).toEqual([])
  })

  test('has schemas that need zod and nothing else', () => {
    const problems = found(({ path, imports }) =>
      imports
        .filter(({ specifier }) => folderOf(path) === 'schemas' && !isRelative(specifier))
        .filter(({ specifier }) => !SCHEMAS_MAY_USE.includes(specifier))
        .map(({ specifier }) => `imports ${specifier}`),
    )
    expect(problems).toEqual([])
  })

  test('imports what is there, in the very case that it has on disk, by its own name', () => {
    const onDisk = new Set(filesBelow('src'))
    const problems = found(({ path, imports }) =>
      imports
        .filter(({ specifier }) => isRelative(specifier))
        .filter(({ specifier }) => !onDisk.has(targetOf(path, specifier)))
        .map(({ specifier }) => `imports ${specifier}, which is not there`),
    )
    expect(problems).toEqual([])
  })

  test('names files in kebab-case, and has no barrels', () => {
    const problems = found(({ path, text }) => [
      ...(/^src(?:\/[a-z0-9]+(?:-[a-z0-9]+)*)+\.ts$/.test(path) ? [] : ['is not kebab-case']),
      ...(path.endsWith('/index.ts') ? ['is a barrel'] : []),
      ...(/^export (?:type )?\*/m.test(text) ? ['exports everything of another file'] : []),
    ])
    expect(problems).toEqual([])
  })

  test('has a README with a line of prose in each folder', () => {
    const folders = new Set(filesBelow('src').map((path) => dirname(path)))
    const above = [...folders].map((folder) => dirname(folder)).filter((one) => one !== '.')
    const without = [...new Set([...folders, ...above])].filter((folder) => {
      try {
        return readFileSync(join(ROOT, folder, 'README.md'), 'utf8').trim().length < 20
      } catch {
        return true
      }
    })
    expect(without).toEqual([])
  })
})

describe('a file of src', () => {
  test(`has at most ${MOST_LINES} lines`, () => {
    const problems = found(({ text }) => {
      const lines = text.trimEnd().split('\n').length
      return lines > MOST_LINES ? [`has ${lines} lines`] : []
    })
    expect(problems).toEqual([])
  })

  test('reads the environment only where it is read once', () => {
    const readers = sources.filter(({ text }) => /\bprocess\s*(?:\.\s*env|\[\s*['"]env)/.test(text))
    expect(readers.map(({ path }) => path)).toEqual(['src/cli/environment.ts'])
  })

  test('takes time and chance as arguments, but where they come from', () => {
    const SOURCES = ['src/adapters/', 'src/roles/', 'src/cli/']
    const problems = found(({ path, text }) =>
      SOURCES.some((folder) => path.startsWith(folder))
        ? []
        : [
            ...text.matchAll(/\b(?:Date\.now\(|new Date\(\)|Math\.random\(|performance\.now\()/g),
          ].map(([call]) => `calls ${call}`),
    )
    expect(problems).toEqual([])
  })

  test('exports by name', () => {
    const problems = found(({ text }) => (/^export default\b/m.test(text) ? ['has a default'] : []))
    expect(problems).toEqual([])
  })
})
