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
 * both logs have in common is in `log`.
 */
const SHARED_ADAPTERS: Record<string, readonly string[]> = {
  embedded: ['clickhouse', 'disk', 'log', 'pool'],
  kafka: ['log'],
  redis: ['pool'],
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

/** Known violations of the rules of circles: these tables may only shrink. */
const KNOWN_CIRCLES: string[][] = [
  [
    'clients/typescript/src/errors/error-of-answer.ts',
    'clients/typescript/src/requests/attempt.ts',
  ],
  ['clients/typescript/src/market-client.ts', 'clients/typescript/src/verified/verified-reader.ts'],
]
const KNOWN_KNOTS: string[] = [
  'bench/lines: ., growth',
  'bench: ., harness, rehearsal',
  'clients/typescript/src: ., errors, lists, requests, streams, verified',
  'demo: ., acts, worlds',
]
const KNOWN_BOTH: string[] = ['bench', 'bench/lines', 'clients/typescript/src', 'demo']

const MOST_LINES = 500
const MOST_FILES = 20

interface SourceFile {
  path: string
  text: string
  imports: Import[]
  /** Names that are exported where they are declared. */
  exported: string[]
}

function readSource(path: string): SourceFile {
  const text = readFileSync(join(ROOT, path), 'utf8')
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  return {
    path,
    text,
    imports: importsIn(tree),
    exported: [...new Set(tree.statements.flatMap(exportedBy))],
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

const sources = filesBelow('src')
  .filter((path) => path.endsWith('.ts'))
  .map(readSource)
/** Where the rules of circles hold: all code but tests. */
const CODE = ['src', 'clients', 'console', 'bench', 'demo', 'scripts']
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

  test(`has at most ${MOST_FILES} files in a folder`, () => {
    const files = new Map<string, number>()
    for (const path of [...filesBelow('src'), ...filesBelow('test/support')])
      if (path.endsWith('.ts')) files.set(dirname(path), (files.get(dirname(path)) ?? 0) + 1)
    const full = [...files].filter(([, count]) => count > MOST_FILES)
    expect(full.map(([folder, count]) => `${folder}: ${count}`)).toEqual([])
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
    expect(circlesIn(graph)).toEqual(KNOWN_CIRCLES)
  })

  test('has no folders that import each other, directly or by way of a third', () => {
    const knots = foldersOf(graph.keys()).flatMap((folder) =>
      circlesIn(roomsOf(folder, graph)).map((rooms) => `${folder}: ${rooms.join(', ')}`),
    )
    expect(knots.sort()).toEqual(KNOWN_KNOTS)
  })

  test('has in a folder what its rooms use, or what uses them, and not both', () => {
    const both = foldersOf(graph.keys()).filter((folder) => {
      const rooms = roomsOf(folder, graph)
      const isGround = [...rooms].some(([room, others]) => room !== '.' && others.has('.'))
      return isGround && (rooms.get('.')?.size ?? 0) > 0
    })
    expect(both).toEqual(KNOWN_BOTH)
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
