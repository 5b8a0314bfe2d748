import {
  type Description,
  type Operation,
  resolved,
  type Schema,
  successOf,
} from './description.ts'

/** Where `npm start` answers. */
export const ORIGIN = 'http://127.0.0.1:8080'
const JSON_TYPE = 'application/json'
/** Its pages hold two lists, or go both ways: no client iterates them. */
const NO_LISTS = new Set(['readExposure', 'listRecords'])

type Values = Record<string, string | number>

/** What an operation is called with: the examples of its description. */
export interface Call {
  operation: Operation
  path: Values
  query: Values
  /** Undefined: the request has no JSON. */
  body: unknown
  bodySchema: Schema
  /** The same, or the named schema that it is. */
  bodyObject: Schema
  /** It answers in pages of one list. */
  isList: boolean
  needsToken: boolean
}

export function callOf(operation: Operation, description: Description): Call {
  const content = operation.requestBody?.content[JSON_TYPE]
  return {
    operation,
    path: examplesIn(operation, 'path'),
    query: examplesIn(operation, 'query'),
    body: content && (content.example ?? namesOf(content.schema)),
    bodySchema: content?.schema ?? {},
    bodyObject: resolved(content?.schema ?? {}, description),
    isList: !NO_LISTS.has(operation.operationId) && isList(operation, description),
    needsToken: operation.security !== undefined,
  }
}

/** What a path cannot lack is its name in capitals where the description has no example. */
const examplesIn = ({ parameters }: Operation, place: 'path' | 'query'): Values =>
  Object.fromEntries(
    parameters
      .filter((one) => one.in === place && (place === 'path' || one.example !== undefined))
      .map(({ name, example }) => [name, example ?? name.toUpperCase()]),
  )

const namesOf = ({ required = [] }: Schema): Record<string, string> =>
  Object.fromEntries(required.map((name) => [name, name.toUpperCase()]))

function isList(operation: Operation, description: Description): boolean {
  const { content } = successOf(operation)
  const { properties = {} } = content ? resolved(content.schema, description) : {}
  const lists = Object.values(properties).filter(({ type }) => type === 'array')
  return operation.parameters.some(({ name }) => name === 'cursor') && lists.length === 1
}
