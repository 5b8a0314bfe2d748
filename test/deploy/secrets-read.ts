import { readFileSync } from 'node:fs'
import ts from 'typescript'
import { type Role, SECRET_VARIABLES } from '../../src/schemas/config/config.ts'
import { filesBelow } from '../support/tree.ts'

// What the code of a role reads of the secrets: the declarations of src/roles, and which of them, and which variables,
// each names. Names that are exported are unique in the project.

interface Declaration {
  path: string
  names: ReadonlySet<string>
}

const declarations = new Map<string, Declaration[]>()
for (const path of filesBelow('src/roles').filter((name) => name.endsWith('.ts'))) {
  const tree = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest)
  for (const statement of tree.statements) {
    for (const name of declaredBy(statement)) {
      const known = declarations.get(name) ?? []
      declarations.set(name, [...known, { path, names: namesIn(statement) }])
    }
  }
}

function declaredBy(statement: ts.Statement): string[] {
  const declared = ts.isVariableStatement(statement)
    ? statement.declarationList.declarations.map(({ name }) => name)
    : ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)
      ? [statement.name]
      : []
  return declared.flatMap((name) => (name && ts.isIdentifier(name) ? [name.text] : []))
}

function namesIn(statement: ts.Statement): Set<string> {
  const names = new Set<string>()
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) names.add(node.text)
    ts.forEachChild(node, visit)
  }
  visit(statement)
  return names
}

/** The secrets that what starts a role reads, itself or by what it calls. */
export function secretsReadBy(role: Exclude<Role, 'all'>): string[] {
  const start = `serve${role[0]?.toUpperCase()}${role.slice(1)}`
  if (!declarations.has(start)) throw new Error(`${start} is not declared in src/roles`)
  const read = new Set<string>()
  const seen = new Set<Declaration>()
  const follow = (name: string, from: string): void => {
    if (SECRET_VARIABLES.has(name)) read.add(name)
    const all = declarations.get(name) ?? []
    const own = all.filter(({ path }) => path === from)
    for (const one of own.length > 0 ? own : all) {
      if (seen.has(one)) continue
      seen.add(one)
      for (const inner of one.names) follow(inner, one.path)
    }
  }
  follow(start, 'src/roles/single-role.ts')
  return [...read].sort()
}
