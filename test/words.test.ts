import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { filesBelow, ROOT } from './support/tree.ts'

const NOT_OURS = new Set(['node_modules', 'dist', 'generated'])
const CODE = ['src', 'clients', 'console', 'bench', 'demo', 'guide', 'scripts', 'test']

/** Words that a reader has to learn here, or whose noun is elsewhere (CONTRIBUTING). */
const FORBIDDEN =
  /\b(?:nobody|anybody|everybody|somebody|whoever|whomever|told|stands?|those of|as of)\b/i
/** A comment begins with its noun, not with a pronoun for a noun above it. */
const PRONOUN_FIRST =
  /^(?:Of|Those|That of|Whose)\b|^The same(?:[.,:;]| (?:as|at|for|from|if|in|of|on|to|with)\b)/

interface CodeFile {
  path: string
  source: ts.SourceFile
}

const files: CodeFile[] = CODE.flatMap((root) => filesBelow(root, NOT_OURS))
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => {
    const text = readFileSync(join(ROOT, path), 'utf8')
    return { path, source: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true) }
  })
const isTest = (path: string): boolean => path.startsWith('test/') || path.includes('/test/')
const program = files.filter(({ path }) => !isTest(path))

/** The comments of a file, each as one line without its marks. */
function commentsOf({ source }: CodeFile): string[] {
  const found = new Map<number, string>()
  const visit = (node: ts.Node): void => {
    const ranges = [
      ...(ts.getLeadingCommentRanges(source.text, node.pos) ?? []),
      ...(ts.getTrailingCommentRanges(source.text, node.end) ?? []),
    ]
    for (const { pos, end } of ranges) found.set(pos, source.text.slice(pos, end))
    for (const child of node.getChildren(source)) visit(child)
  }
  visit(source)
  return [...found.values()].map((comment) =>
    comment
      .replace(/^\/\*\*?|\*\/$|^\/\//g, '')
      .replace(/\n\s*(?:\*|\/\/)?\s*/g, ' ')
      .trim(),
  )
}

const identifiersOf = ({ source }: CodeFile): string[] => {
  const names: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) names.push(node.text)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return names
}

/** Signals named `over`, which says nothing of what they do. */
function misnamedSignals({ source }: CodeFile): string[] {
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    const isNamed = ts.isParameter(node) || ts.isVariableDeclaration(node)
    if (isNamed && ts.isIdentifier(node.name) && node.name.text === 'over')
      if (node.type?.getText(source).includes('AbortSignal')) found.push(node.getText(source))
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

/** What a file that caches declares as `kept`, which is a word for an order's wrapper. */
function keptCaches({ source }: CodeFile): string[] {
  if (!source.text.includes("from 'lru-cache'")) return []
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    const isDeclared =
      ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node) || ts.isParameter(node)
    if (isDeclared && /(?:^|[#_])kept|Kept/i.test(node.name.getText(source)))
      found.push(node.name.getText(source))
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

const lines = (check: (file: CodeFile) => string[], of = program): string[] =>
  of.flatMap((file) => check(file).map((problem) => `${file.path}: ${problem}`))

describe('a comment', () => {
  const comments = new Map(program.map((file) => [file.path, commentsOf(file)]))
  const found = (pattern: RegExp, root = ''): string[] =>
    [...comments].flatMap(([path, own]) =>
      own
        .filter((comment) => path.startsWith(root) && pattern.test(comment))
        .map((comment) => `${path}: ${comment}`),
    )

  test('is read: the tree has thousands', () => {
    expect([...comments.values()].flat().length).toBeGreaterThan(3_000)
  })

  test('has no forbidden word', () => {
    expect(found(FORBIDDEN)).toEqual([])
  })

  test('of a declaration is one: a second would hide the first', () => {
    const check = ({ source }: CodeFile) => source.text.match(/\*\/\n[ \t]*\/\*\*.*/g) ?? []
    expect(lines(check)).toEqual([])
  })

  test('of src begins with its noun', () => {
    expect(found(PRONOUN_FIRST, 'src/')).toEqual([])
  })
})

describe('a name', () => {
  test('of a bound says MAX, not MOST', () => {
    const check = (file: CodeFile) =>
      identifiersOf(file).filter((name) => /(?:^|_)MOST(?:_|$)/.test(name))
    expect(lines(check, files)).toEqual([])
  })

  test('of an AbortSignal says what it is', () => {
    expect(lines(misnamedSignals, files)).toEqual([])
  })

  test('of what is cached says cached, or what it is: kept is of an order', () => {
    expect(lines(keptCaches)).toEqual([])
  })

  test.each(['src', 'console', 'clients'])(
    'of a type of %s is of one type, exported or not',
    (root) => {
      const declared = new Map<string, string[]>()
      for (const { path, source } of program.filter((file) => file.path.startsWith(`${root}/`)))
        for (const statement of source.statements) {
          const isType =
            ts.isInterfaceDeclaration(statement) ||
            ts.isTypeAliasDeclaration(statement) ||
            ts.isClassDeclaration(statement)
          const name = isType ? statement.name?.text : undefined
          if (name) declared.set(name, [...(declared.get(name) ?? []), path])
        }
      expect(declared.size).toBeGreaterThan(50)
      const twins = [...declared].filter(([, paths]) => paths.length > 1)
      expect(twins.map(([name, paths]) => `${name}: ${paths.join(', ')}`)).toEqual([])
    },
  )
})

/** The words of the glossary that name one thing of the code, and what code may say them of. */
const GLOSSARY = readFileSync(join(ROOT, 'docs/glossary.md'), 'utf8')
const rows = GLOSSARY.split('\n')
  .filter(
    (line) => line.startsWith('| ') && !line.startsWith('| word') && !line.startsWith('| ---'),
  )
  .map((line) => (line.split('|')[1] ?? '').split(',').map((word) => word.trim()))

describe('the glossary', () => {
  test('has each word once, in the order of the alphabet', () => {
    const words = rows.flat()
    expect(new Set(words).size).toBe(words.length)
    const first = rows.map(([word = '']) => word)
    expect(first).toEqual([...first].sort((a, b) => a.localeCompare(b, 'en')))
  })

  test('has the words that have one meaning here', () => {
    const words = rows.flat()
    for (const word of ['lane', 'place', 'slot', 'kept', 'cached', 'turn', 'round', 'mark'])
      expect(words).toContain(word)
  })

  test('names nothing that is gone: each word occurs in code or on another page', () => {
    const pages = filesBelow('docs')
      .filter((path) => path.endsWith('.md') && path !== 'docs/glossary.md')
      .map((path) => readFileSync(join(ROOT, path), 'utf8'))
    const all = [...program.map(({ source }) => source.text), ...pages].join('\n').toLowerCase()
    const gone = rows.flat().filter((word) => !all.includes(word.toLowerCase()))
    expect(gone).toEqual([])
  })
})

/** Pages that a program writes. */
const GENERATED = /spec-coverage|order-states|configuration|errors|docs\/examples/
const MAX_CELL = 200

test('a cell of a table says one thing: what explains it is below the table', () => {
  const pages = filesBelow('docs').filter(
    (path) => path.endsWith('.md') && !path.startsWith('docs/adr/') && !GENERATED.test(path),
  )
  expect(pages.length).toBeGreaterThan(20)
  const long = pages.flatMap((path) =>
    readFileSync(join(ROOT, path), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('|'))
      .flatMap((line) =>
        line.split(/(?<!\\)\|/).map((cell) => cell.replace(/\]\([^)]*\)/g, ']').trim()),
      )
      .filter((cell) => cell.length > MAX_CELL)
      .map((cell) => `${path}: ${cell.slice(0, 60)}`),
  )
  expect(long).toEqual([])
})
