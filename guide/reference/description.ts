import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../source/pages.ts'

// What the reference reads of the API's description (OpenAPI 3.1): docs/openapi.json, which is what
// `/openapi.json` of a gateway answers.

/** Of JSON Schema, the words that the description uses. */
export interface Schema {
  $ref?: string
  description?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  default?: unknown
  format?: string
  pattern?: string
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: Schema | boolean
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
}

export interface Content {
  schema: Schema
  example?: unknown
}

export interface Parameter {
  in: 'path' | 'query' | 'header'
  name: string
  required?: boolean
  description?: string
  schema: Schema
  example?: string | number
}

export interface Answer {
  description: string
  headers?: Record<string, unknown>
  content?: Record<string, Content>
}

export interface DescribedOperation {
  operationId: string
  summary: string
  description: string
  tags: [string]
  security?: Record<string, unknown>[]
  parameters: (Parameter | { $ref: string })[]
  requestBody?: { required?: boolean; content: Record<string, Content> }
  responses: Record<string, Answer>
}

export interface Description {
  info: { title: string; version: string; description: string }
  tags: { name: string; description: string }[]
  paths: Record<string, Partial<Record<'get' | 'post', DescribedOperation>>>
  components: {
    schemas: Record<string, Schema>
    parameters: Record<string, Parameter>
    headers: Record<string, { description: string }>
    securitySchemes: Record<string, { description: string }>
  }
}

/** An operation with its place. */
export interface Operation extends Omit<DescribedOperation, 'parameters'> {
  method: 'get' | 'post'
  path: string
  tag: string
  parameters: Parameter[]
}

export const readDescription = (): Description =>
  JSON.parse(readFileSync(join(ROOT, 'docs/openapi.json'), 'utf8')) as Description

/** Every operation, in the order of the description. */
export const operationsOf = ({ paths, components }: Description): Operation[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      ...operation,
      method: method as 'get' | 'post',
      path,
      tag: operation.tags[0],
      parameters: operation.parameters.map((one) =>
        '$ref' in one ? shared(components.parameters, nameIn(one.$ref)) : one,
      ),
    })),
  )

/** The last part of a reference such as `#/components/schemas/Quote`. */
export const nameIn = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1)

function shared<T>(parts: Record<string, T>, name: string): T {
  const part = parts[name]
  if (part === undefined) throw new Error(`the description has no ${name}`)
  return part
}

/** The schema itself, where it is one of the named ones. */
export const resolved = (schema: Schema, { components }: Description): Schema =>
  schema.$ref === undefined ? schema : shared(components.schemas, nameIn(schema.$ref))

/** The success of an operation. */
export function successOf({
  operationId,
  responses,
}: Pick<Operation, 'operationId' | 'responses'>) {
  const found = Object.entries(responses).find(([status]) => Number(status) < 300)
  if (!found) throw new Error(`${operationId} has no success`)
  const [status, answer] = found
  const [mediaType = '', content] = Object.entries(answer.content ?? {})[0] ?? []
  return { status, answer, mediaType, content }
}
