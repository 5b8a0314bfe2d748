import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

/** A test as its file names it: its blocks, then its own title. */
export interface TestTitle {
  /** From the root of the repository. */
  file: string
  path: readonly string[]
}

/** Titles of the tests below a folder, of files with such a tag: read from their text, nothing is run. */
export function testTitles(folder: string, tag: string): TestTitle[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name).replaceAll('\\', '/'))
    .sort()
  return files.flatMap((file) => {
    const text = readFileSync(file, 'utf8')
    return text.includes(tag) ? titlesOf(file, text) : []
  })
}

/** The titles of one file. A table of literals (`test.each`) is one title a row. */
export function titlesOf(file: string, text: string): TestTitle[] {
  const found: TestTitle[] = []
  const visit = (node: ts.Node, path: readonly string[]): void => {
    const call = ts.isCallExpression(node) ? readCall(node) : null
    if (!call) {
      ts.forEachChild(node, (child) => visit(child, path))
      return
    }
    for (const title of call.titles) {
      if (call.isTest) found.push({ file, path: [...path, title] })
      else for (const argument of call.body) visit(argument, [...path, title])
    }
  }
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest), [])
  return found
}

interface Call {
  isTest: boolean
  titles: readonly string[]
  body: readonly ts.Expression[]
}

/** `test(title, …)`, `describe(title, …)`, either with `.each(rows)`; null for any other call. */
function readCall({ expression, arguments: [first, ...body] }: ts.CallExpression): Call | null {
  const title = first && literal(first)
  if (title === undefined) return null
  const isTable = ts.isCallExpression(expression)
  const callee = isTable ? expression.expression : expression
  const name = nameOf(callee)
  if (isTable && !name.endsWith('.each')) return null
  const [root = '', ...more] = name.split('.')
  const isTest = root === 'test'
  if (!isTest && !root.startsWith('describe')) return null
  if (more.some((one) => one !== 'each')) return null
  const rows = isTable && expression.arguments[0] ? rowsOf(expression.arguments[0]) : null
  return { isTest, titles: rows ? rows.map((row) => fill(title, row)) : [title], body }
}

function nameOf(node: ts.Expression): string {
  if (ts.isIdentifier(node)) return node.text
  return ts.isPropertyAccessExpression(node) ? `${nameOf(node.expression)}.${node.name.text}` : ''
}

type Row = { values: (string | undefined)[]; named: ReadonlyMap<string, string | undefined> }

/** The rows of a literal table; null for a computed one. */
function rowsOf(table: ts.Expression): Row[] | null {
  const list = bare(table)
  if (!ts.isArrayLiteralExpression(list) || list.elements.some(ts.isSpreadElement)) return null
  return list.elements.map((element) => {
    const row = bare(element)
    const values = ts.isArrayLiteralExpression(row) ? row.elements.map(literal) : [literal(row)]
    const fields = ts.isObjectLiteralExpression(row) ? row.properties : []
    const named = fields.flatMap((field) =>
      ts.isPropertyAssignment(field) && ts.isIdentifier(field.name)
        ? [[field.name.text, literal(field.initializer)] as const]
        : [],
    )
    return { values, named: new Map(named) }
  })
}

const bare = (node: ts.Expression): ts.Expression =>
  ts.isAsExpression(node) || ts.isSatisfiesExpression(node) || ts.isParenthesizedExpression(node)
    ? bare(node.expression)
    : node

function literal(node: ts.Expression): string | undefined {
  const expression = bare(node)
  return ts.isStringLiteralLike(expression) || ts.isNumericLiteral(expression)
    ? expression.text
    : undefined
}

/** Substitutes a row's literals: `%s` and the like in turn, `$name` by name. */
function fill(title: string, { values, named }: Row): string {
  let next = 0
  return title
    .replace(/%[sdij]/g, (mark) => values[next++] ?? mark)
    .replace(/\$(\w+)/g, (mark, name: string) => named.get(name) ?? mark)
}
