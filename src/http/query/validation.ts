import type { FastifySchemaCompiler } from 'fastify'
import { z } from 'zod'
import { RefusalError } from '../../gateway/refusal.ts'
import { namesNear } from '../../schemas/near-names.ts'

/** More problems than this do not help; the rest are counted. */
const MAX_PROBLEMS = 20
const MAX_NAME_LENGTH = 64

/**
 * Zod as Fastify's validator: all problems at once, each naming its field. A misspelt parameter of a
 * query is a problem, too: without its filter, the answer would be to another question.
 */
export const validatorCompiler: FastifySchemaCompiler<z.ZodType> = ({ schema, httpPart }) => {
  const parameters =
    httpPart === 'querystring' && schema instanceof z.ZodObject ? Object.keys(schema.shape) : []
  return (data: unknown) => {
    const misspelt = parameters.length === 0 ? [] : misspeltNames(data, parameters)
    const result = schema.safeParse(data, { error: inOurWords })
    if (result.success && misspelt.length === 0) return { value: result.data }
    const issues = result.error?.issues ?? []
    const wrong = issues.flatMap(
      (issue) => givenTwice(issue, data, parameters) ?? problem(issue, httpPart ?? 'request'),
    )
    return { error: new RefusalError('VALIDATION_FAILED', bounded([...misspelt, ...wrong])) }
  }
}

/** Null: the problem is another. The names of a query are unknown to other parts, which have none. */
function givenTwice(
  { path: [name] }: z.core.$ZodIssue,
  data: unknown,
  parameters: readonly string[],
): string | null {
  if (typeof name !== 'string' || !parameters.includes(name)) return null
  if (!Array.isArray(Reflect.get(data ?? {}, name))) return null
  const several = parameters.includes(`${name}s`)
    ? `; several go into ${name}s, comma separated`
    : ''
  return `${fieldName([name], 'query')}: must be one string, given once${several}`
}

/** Each unknown name is compared with all known ones: those beyond are ignored, as unknown ones are. */
function misspeltNames(data: unknown, parameters: readonly string[]): string[] {
  const unknown = Object.keys(data ?? {}).filter((name) => !parameters.includes(name))
  return unknown.slice(0, MAX_PROBLEMS).flatMap((name) => {
    const meant = namesNear(name, parameters)
    if (meant.length === 0) return []
    return [`${fieldName([name], 'query')}: unknown parameter, did you mean ${meant.join(' or ')}?`]
  })
}

function bounded(all: readonly string[]): string[] {
  const rest = all.length - MAX_PROBLEMS
  return rest > 0 ? [...all.slice(0, MAX_PROBLEMS), `and ${rest} more problems`] : [...all]
}

function problem(issue: z.core.$ZodIssue, part: string): string[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => `${fieldName([...issue.path, key], part)}: unknown field`)
  }
  return [`${fieldName(issue.path, part)}: ${issue.message}`]
}

function fieldName(path: readonly PropertyKey[], part: string): string {
  if (path.length === 0) return part
  const name = path.map(String).join('.')
  return name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name
}

/** Texts for zod's own checks, without the values, which may be long or secret. */
const inOurWords: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return wrongType(issue.expected, issue.input)
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`
    case 'invalid_union':
      return issue.input === undefined ? 'is required' : wrongBranch(issue.errors)
    case 'too_big':
      return `must be at most ${issue.maximum}${unitOf(issue.origin)}`
    case 'too_small':
      return `must be at least ${issue.minimum}${unitOf(issue.origin)}`
    default:
      return undefined
  }
}

function wrongType(expected: string, input: unknown): string {
  if (input === undefined) return 'is required'
  if (expected === 'string' && Array.isArray(input)) return 'must be one string, given once'
  return `must be ${/^[aeio]/.test(expected) ? 'an' : 'a'} ${expected}`
}

/** The problem of the union branch that the value's type points to, if any. */
function wrongBranch(branches: readonly (readonly z.core.$ZodIssue[])[]): string {
  const roots = branches.map((issues) => issues[0])
  const meant = roots.find((issue) => issue?.code !== 'invalid_type' || issue.expected === 'int')
  if (meant) return meant.message
  const types = roots.flatMap((issue) => (issue?.code === 'invalid_type' ? [issue.expected] : []))
  return `must be a ${types.join(' or a ')}`
}

function unitOf(origin: string): string {
  if (origin === 'string') return ' characters'
  return origin === 'array' ? ' items' : ''
}
