import type { ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { OpenAPIV3_1 } from 'openapi-types'
import type { ErrorCode } from '../../../src/schemas/api/errors.ts'

export interface Described {
  method: 'GET' | 'POST'
  /** As in the document: parameters in braces. */
  path: string
  operation: OpenAPIV3_1.OperationObject
  parameters: OpenAPIV3_1.ParameterObject[]
  requestBody: { example: unknown } | null
  success: { status: number; example: unknown }
  codes: ReadonlyMap<number, readonly ErrorCode[]>
  /** Problems of a request body; empty when it matches the description. */
  problemsOfBody(body: unknown): unknown[]
  /** Problems of an answer; an undescribed status is one. */
  problemsOfAnswer(status: number, body: unknown): unknown[]
  /** The same for its headers. */
  problemsOfHeaders(status: number, headers: Headers): unknown[]
}

/** Every operation of a document, with checks of requests and answers against it. */
export function describedIn(document: OpenAPIV3_1.Document): Described[] {
  const ajv = new Ajv2020({ strict: false, allErrors: true, discriminator: false })
  addFormats.default(ajv)
  ajv.addSchema(document, DOCUMENT)
  return Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    Object.entries(item ?? {}).map(([method, operation]) =>
      described(document, ajv, [path, method, operation as OpenAPIV3_1.OperationObject]),
    ),
  )
}

const DOCUMENT = 'openapi.json'
const JSON_TYPE = 'application/json'

function described(
  document: OpenAPIV3_1.Document,
  ajv: Ajv2020,
  [path, method, operation]: [string, string, OpenAPIV3_1.OperationObject],
): Described {
  const pointer = ['paths', path, method]
  const problems = (parts: readonly string[], value: unknown): unknown[] => {
    const check = ajv.getSchema(uriOf([...pointer, ...parts])) as ValidateFunction | undefined
    if (!check) return [`no schema at ${parts.join('/')}`]
    return check(value) ? [] : (check.errors ?? [])
  }
  const responses = Object.entries(operation.responses ?? {}) as [
    string,
    OpenAPIV3_1.ResponseObject,
  ][]
  const [status, success] = responses.find(([code]) => code.startsWith('2')) ?? ['0', null]
  const body = operation.requestBody as OpenAPIV3_1.RequestBodyObject | undefined
  return {
    method: method === 'get' ? 'GET' : 'POST',
    path,
    operation,
    parameters: (operation.parameters ?? []).map((one) => resolved(document, one)),
    requestBody: body ? { example: body.content[JSON_TYPE]?.example } : null,
    success: { status: Number(status), example: contentOf(success)[1]?.example },
    codes: new Map(responses.flatMap(([code, response]) => codesOf(code, response))),
    problemsOfBody: (value) => problems(['requestBody', 'content', JSON_TYPE, 'schema'], value),
    problemsOfAnswer: (code, value) => {
      const [type] = contentOf(responses.find(([one]) => one === String(code))?.[1])
      return problems(['responses', String(code), 'content', type, 'schema'], value)
    },
    problemsOfHeaders: (code, headers) => {
      const named = responses.find(([one]) => one === String(code))?.[1].headers ?? {}
      return Object.entries(named).flatMap(([name, reference]) => {
        const header: OpenAPIV3_1.HeaderObject = resolved(document, reference)
        const value = headers.get(name)
        if (value === null) return header.required ? [`${name} is missing`] : []
        const schema = header.schema as OpenAPIV3_1.SchemaObject
        const typed = schema.type === 'integer' ? Number(value) : value
        return ajv.validate(schema, typed) ? [] : [`${name}: ${value}`]
      })
    },
  }
}

/** The single media type of an answer, with its description. */
const contentOf = (
  response: OpenAPIV3_1.ResponseObject | null | undefined,
): [string, OpenAPIV3_1.MediaTypeObject | undefined] =>
  Object.entries(response?.content ?? {})[0] ?? ['no body', undefined]

function resolved<T>(document: OpenAPIV3_1.Document, value: T | OpenAPIV3_1.ReferenceObject): T {
  if (typeof value !== 'object' || value === null || !('$ref' in value)) return value as T
  const steps = value.$ref.slice('#/'.length).split('/')
  return steps.reduce((at: unknown, step) => Reflect.get(at as object, step), document) as T
}

/** RFC 6901 in a fragment of a URI. */
const uriOf = (parts: readonly string[]): string =>
  `${DOCUMENT}#/${parts
    .map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
    .join('/')}`

function codesOf(
  status: string,
  response: OpenAPIV3_1.ResponseObject,
): [number, readonly ErrorCode[]][] {
  const schema = (contentOf(response)[1]?.schema ?? {}) as OpenAPIV3_1.SchemaObject
  const bodies = (schema.anyOf ?? [schema]) as OpenAPIV3_1.SchemaObject[]
  const codes = bodies.flatMap(({ allOf }) => {
    const own = allOf?.[1] as OpenAPIV3_1.SchemaObject | undefined
    const code = own?.properties?.['code'] as OpenAPIV3_1.SchemaObject | undefined
    return code?.enum ?? []
  })
  return codes.length > 0 ? [[Number(status), codes]] : []
}
