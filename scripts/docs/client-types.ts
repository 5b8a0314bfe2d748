import openapiTS, { astToString } from 'openapi-typescript'
import { ERROR_STATUS } from '../../src/schemas/api/errors.ts'
import { openApiDocument } from './openapi.ts'

const HEAD = `// Generated from docs/openapi.json by \`npm run docs\`; a test compares it.

`

/** A JSON value of the document. */
type Node = { [key: string]: Node } | Node[] | string | number | boolean | null

const isObject = (node: Node | undefined): node is { [key: string]: Node } =>
  typeof node === 'object' && node !== null && !Array.isArray(node)

/** The types of the TypeScript client: every route's parameters, body and success, and the error codes. */
export async function clientTypes(): Promise<string> {
  const document = JSON.parse(await openApiDocument()) as { [key: string]: Node }
  const ast = await openapiTS(
    successesOf(document) as never,
    {
      rootTypes: true,
      rootTypesNoSchemaPrefix: true,
      silent: true,
    } as never,
  )
  const codes = Object.keys(ERROR_STATUS).sort()
  return [
    `${HEAD}${astToString(ast).trimEnd()}`,
    '/** Every `code` of an ErrorResponse. */',
    'export type ErrorCode =',
    `${codes.map((code) => `    | "${code}"`).join('\n')};`,
    '',
  ].join('\n')
}

/**
 * The document without what a program using the client never sees: errors, which it gets as
 * classes; headers, which the client sends and reads; examples.
 */
function successesOf(document: { [key: string]: Node }): Node {
  const { components, ...rest } = document
  const { schemas = {} } = isObject(components) ? components : {}
  return withoutExamples({
    ...rest,
    paths: successfulPaths(rest['paths']),
    components: { schemas },
  })
}

function successfulPaths(paths: Node | undefined): Node {
  return mapValues(paths, (item) =>
    mapValues(item, (operation) =>
      isObject(operation)
        ? {
            ...operation,
            parameters: own(operation['parameters']),
            responses: successes(operation['responses']),
          }
        : operation,
    ),
  )
}

/** Parameters of the route itself; headers are shared, and so references. */
const own = (parameters: Node | undefined): Node =>
  Array.isArray(parameters) ? parameters.filter((one) => isObject(one) && !('$ref' in one)) : []

const successes = (responses: Node | undefined): Node =>
  Object.fromEntries(
    Object.entries(isObject(responses) ? responses : {})
      .filter(([status]) => status.startsWith('2'))
      .map(([status, answer]) => [status, isObject(answer) ? { ...answer, headers: {} } : answer]),
  )

const mapValues = (node: Node | undefined, by: (value: Node) => Node): { [key: string]: Node } =>
  Object.fromEntries(
    Object.entries(isObject(node) ? node : {}).map(([key, value]) => [key, by(value)]),
  )

function withoutExamples(node: Node): Node {
  if (Array.isArray(node)) return node.map(withoutExamples)
  if (!isObject(node)) return node
  const kept = Object.entries(node).filter(([key]) => key !== 'example' && key !== 'examples')
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutExamples(value)]))
}
