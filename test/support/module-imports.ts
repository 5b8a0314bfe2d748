import { dirname, join, relative } from 'node:path'
import ts from 'typescript'
import { ROOT } from './tree.ts'

/** A module that a file names. */
export interface Import {
  /** As it stands in the file. */
  specifier: string
  isTypeOnly: boolean
}

export function importsIn(tree: ts.SourceFile): Import[] {
  const imports: Import[] = []
  const isDeep = tree.text.includes('import(')
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
      // A module that is chosen while the program runs would escape the tests of imports.
      imports.push({ specifier: specifier ?? '(computed)', isTypeOnly: false })
    }
    if (isDeep || ts.isSourceFile(node)) ts.forEachChild(node, visit)
  }
  visit(tree)
  return imports
}

function isTypeImport(clause: ts.ImportClause | undefined): boolean {
  if (!clause) return false
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true
  const { namedBindings, name } = clause
  if (name || !namedBindings || !ts.isNamedImports(namedBindings)) return false
  return namedBindings.elements.length > 0 && namedBindings.elements.every((one) => one.isTypeOnly)
}

export const isRelative = (specifier: string): boolean => specifier.startsWith('.')

/** The path, from the root, of what a file imports relatively. */
export const targetOf = (path: string, specifier: string): string =>
  relative(ROOT, join(ROOT, dirname(path), specifier))
