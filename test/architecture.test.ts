import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { circlesIn, foldersOf, type ImportGraph, roomsOf } from './support/import-graph.ts'
import { type Import, importsIn, isRelative, targetOf } from './support/module-imports.ts'
import { filesBelow, MAY_IMPORT, ROOT } from './support/tree.ts'

/** Ports name types of the domain and nothing that runs. */
const TYPES_ONLY: [from: string, to: string][] = [['ports', 'domain']]
/**
 * The embedded history is ClickHouse's own engine in this process: it runs that adapter's SQL. What
 * both logs have in common is in `log`, and what both views have in common in `views`.
 */
const SHARED_ADAPTERS: Record<string, readonly string[]> = {
  embedded: ['clickhouse', 'free-space.ts', 'log', 'pool-facts.ts', 'views'],
  kafka: ['log'],
  redis: ['pool-facts.ts', 'views'],
}
/**
 * Where text becomes an id without a schema: it is computed there, or read from a store that this
 * program alone writes (ADR 71).
 */
const IDS_ARE_MADE = [
  'src/adapters/bitcoind/zmq-frames.ts',
  'src/adapters/embedded/log/snapshots.ts',
  'src/adapters/kafka/ingest-changelog.ts',
  'src/domain/chain/hash256.ts',
  'src/domain/chain/outpoint.ts',
  'src/domain/order/order-id.ts',
  'src/pairing/pairing-index.ts',
  'src/pairing/pairing-view.ts',
]
/** What the lowest folder may use of others' code. */
const SCHEMAS_MAY_USE = ['zod']

const MAX_LINES = 500
const MAX_FILES = 20

interface SourceFile {
  path: string
  text: string
  imports: Import[]
  /** Names that are exported where they are declared. */
  exported: string[]
  /** Functions, and classes that are no errors, which its own statements declare. */
  running: string[]
}

function readSource(path: string): SourceFile {
  const text = readFileSync(join(ROOT, path), 'utf8')
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  return {
    path,
    text,
    imports: importsIn(tree),
    exported: [...new Set(tree.statements.flatMap(exportedBy))],
    running: tree.statements.flatMap(runningIn),
  }
}

function exportedBy(statement: ts.Statement): string[] {
  const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : []
  if (!modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return []
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map(({ name }) => name.getText())
  const isNamed =
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement)
  return isNamed && statement.name ? [statement.name.text] : []
}

function runningIn(statement: ts.Statement): string[] {
  if (ts.isFunctionDeclaration(statement)) return [statement.name?.text ?? '']
  if (ts.isClassDeclaration(statement)) {
    const parents = statement.heritageClauses?.map((clause) => clause.getText()) ?? []
    const isError = parents.some((parent) => /^extends \w*Error$/.test(parent))
    return isError ? [] : [statement.name?.text ?? '']
  }
  if (!ts.isVariableStatement(statement)) return []
  return statement.declarationList.declarations
    .filter(
      ({ initializer: value }) =>
        value &&
        (ts.isArrowFunction(value) || ts.isNewExpression(value) || ts.isCallExpression(value)),
    )
    .map(({ name }) => name.getText())
}

const sources = filesBelow('src')
  .filter((path) => path.endsWith('.ts'))
  .map(readSource)
/** Where the rules of circles hold: all code but tests. */
const CODE = ['src', 'clients', 'console', 'bench', 'demo', 'guide', 'scripts']
const NOT_OURS = new Set(['node_modules', 'dist'])
const folderOf = (path: string): string => path.split('/')[1] ?? ''

const graph: ImportGraph = new Map(
  CODE.flatMap((root) => filesBelow(root, NOT_OURS))
    .filter((path) => /\.(?:ts|tsx|mjs)$/.test(path))
    .map((path) => {
      const { imports } = sources.find((source) => source.path === path) ?? readSource(path)
      const targets = imports
        .filter(({ specifier }) => isRelative(specifier))
        .map(({ specifier }) => targetOf(path, specifier))
      return [path, targets]
    }),
)

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

  test('has ports of types, errors and constants: what runs is in runtime, or behind a port', () => {
    const problems = found(({ path, running }) => (folderOf(path) === 'ports' ? running : []))
    expect(problems).toEqual([])
  })

  test('has a runtime that imports Node and nothing else', () => {
    const problems = found(({ path, imports }) =>
      imports
        .filter(({ specifier }) => folderOf(path) === 'runtime' && !isRelative(specifier))
        .filter(({ specifier }) => !specifier.startsWith('node:'))
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

  test('has READMEs that say more than a line: that is on the map of docs/architecture.md', () => {
    const readmes = filesBelow('src').filter((path) => path.endsWith('README.md'))
    const short = readmes.filter((path) => {
      const lines = readFileSync(join(ROOT, path), 'utf8').split('\n')
      return lines.filter((line) => line.trim() !== '' && !line.startsWith('#')).length < 2
    })
    expect(short).toEqual([])
  })

  test(`has at most ${MAX_FILES} files in a folder`, () => {
    const files = new Map<string, number>()
    for (const path of [...filesBelow('src'), ...filesBelow('test/support')])
      if (path.endsWith('.ts')) files.set(dirname(path), (files.get(dirname(path)) ?? 0) + 1)
    const full = [...files].filter(([, count]) => count > MAX_FILES)
    expect(full.map(([folder, count]) => `${folder}: ${count}`)).toEqual([])
  })

  test('has no folder of one file: that is in the folder above', () => {
    const rooms = [...CODE, 'test/support'].flatMap((root) =>
      filesBelow(root, new Set([...NOT_OURS, 'generated'])),
    )
    const inside = new Map<string, number>()
    for (const path of rooms)
      for (let at = path; dirname(at) !== '.'; at = dirname(at))
        inside.set(dirname(at), (inside.get(dirname(at)) ?? 0) + 1)
    const single = [...inside].filter(([, count]) => count === 1).map(([folder]) => folder)
    expect(single).toEqual([])
  })
})

describe('code', () => {
  test('is read in every folder that has some', () => {
    const roots = CODE.filter(
      (root) => ![...graph.keys()].some((path) => path.startsWith(`${root}/`)),
    )
    expect(roots).toEqual([])
  })

  test('has no circle of files', () => {
    expect(circlesIn(graph)).toEqual([])
  })

  test('has no folders that import each other, directly or by way of a third', () => {
    const knots = foldersOf(graph.keys()).flatMap((folder) =>
      circlesIn(roomsOf(folder, graph)).map((rooms) => `${folder}: ${rooms.join(', ')}`),
    )
    expect(knots).toEqual([])
  })

  test('has in a folder what its rooms use, or what uses them, and not both', () => {
    const both = foldersOf(graph.keys()).filter((folder) => {
      const rooms = roomsOf(folder, graph)
      const isGround = [...rooms].some(([room, others]) => room !== '.' && others.has('.'))
      return isGround && (rooms.get('.')?.size ?? 0) > 0
    })
    expect(both).toEqual([])
  })
})

/** The packages and files that are loaded with a file: all that it imports but for types. */
function loadedFrom(start: string): Set<string> {
  const loaded = new Set([start])
  // What is added is visited too.
  for (const path of loaded) {
    if (!/\.tsx?$/.test(path)) continue
    for (const { specifier, isTypeOnly } of readSource(path).imports)
      if (!isTypeOnly) loaded.add(isRelative(specifier) ? targetOf(path, specifier) : specifier)
  }
  return loaded
}

describe('the console', () => {
  test('asks the browser to store something in one file, which expects a refusal', () => {
    const names = [...graph.keys()].filter((path) => path.startsWith('console/src/'))
    const users = names.filter((path) =>
      /\b(?:local|session)Storage\b.?[.[]|\[area\]/.test(readFileSync(join(ROOT, path), 'utf8')),
    )
    expect(users).toEqual(['console/src/api/stored.ts'])
  })

  test('loads no zod: 15 kB, and it tries an eval, which the policy of the pages forbids', () => {
    const loaded = loadedFrom('console/src/main.tsx')
    expect(loaded).toContain('console/src/wallet/connection.ts')
    expect(loaded).not.toContain('zod')
  })
})

describe('a file of src', () => {
  test(`has at most ${MAX_LINES} lines`, () => {
    const problems = found(({ text }) => {
      const lines = text.trimEnd().split('\n').length
      return lines > MAX_LINES ? [`has ${lines} lines`] : []
    })
    expect(problems).toEqual([])
  })

  test('reads the environment only where it is read once', () => {
    const readers = sources.filter(({ text }) => /\bprocess\s*(?:\.\s*env|\[\s*['"]env)/.test(text))
    expect(readers.map(({ path }) => path)).toEqual(['src/cli/terminal/environment.ts'])
  })

  test('takes time and chance as arguments, but where they come from', () => {
    const SOURCES = ['src/adapters/', 'src/roles/', 'src/operator/', 'src/cli/']
    const problems = found(({ path, text }) =>
      SOURCES.some((folder) => path.startsWith(folder))
        ? []
        : [
            ...text.matchAll(/\b(?:Date\.now\(|new Date\(\)|Math\.random\(|performance\.now\()/g),
          ].map(([call]) => `calls ${call}`),
    )
    expect(problems).toEqual([])
  })

  test('is imported by another, or begins a program of its own', () => {
    const PROGRAMS = ['src/cli/main.ts', 'src/adapters/embedded/threads/signature-worker.ts']
    const imported = new Set([
      ...sources.flatMap(({ path, imports }) =>
        imports.map(({ specifier }) => targetOf(path, specifier)),
      ),
      // Threads are begun by the address of their file.
      ...sources.flatMap(({ path, text }) =>
        [...text.matchAll(/new URL\('([^']+)'/g)].map(([, file = '']) => targetOf(path, file)),
      ),
    ])
    const alone = sources.filter(({ path }) => !imported.has(path)).map(({ path }) => path)
    expect(alone.filter((path) => !PROGRAMS.includes(path))).toEqual([])
  })

  test('exports no name that another one exports', () => {
    const files = new Map<string, string[]>()
    for (const { path, exported } of sources)
      for (const name of exported) files.set(name, [...(files.get(name) ?? []), path])
    const twins = [...files].filter(([, paths]) => paths.length > 1)
    expect(twins.map(([name, paths]) => `${name}: ${paths.join(', ')}`)).toEqual([])
  })

  test('names its errors as errors, by the name that their logs show', () => {
    const problems = found(({ text }) =>
      [...text.matchAll(/^export (?:abstract )?class (\w+) extends \w*Error \{\n(.*)/gm)].flatMap(
        ([head, name = '', first = '']) => [
          ...(name.endsWith('Error') ? [] : [`${name} does not end in Error`]),
          ...(head.includes(' abstract ') || first.trim() === `override name = '${name}'`
            ? []
            : [`${name} shows another name`]),
        ],
      ),
    )
    expect(problems).toEqual([])
  })

  test('gives a use case what it touches of the gateway, and not the whole', () => {
    const problems = found(({ path, text }) =>
      folderOf(path) === 'gateway' && /: Gateway\b(?!\[)/.test(text) ? ['takes the gateway'] : [],
    )
    expect(problems).toEqual([])
  })

  test('takes ids from a schema or from the function that computes them, and casts no text', () => {
    const casts = sources.filter(({ text }) =>
      /\bas (?:BlockHash|OrderId|OutpointText|Txid)\b/.test(text),
    )
    expect(casts.map(({ path }) => path).sort()).toEqual(IDS_ARE_MADE)
  })

  test('exports by name', () => {
    const problems = found(({ text }) => (/^export default\b/m.test(text) ? ['has a default'] : []))
    expect(problems).toEqual([])
  })
})
