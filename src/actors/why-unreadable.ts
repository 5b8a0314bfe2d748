import type { z } from 'zod'
import { LOG_SCHEMA } from '../schemas/log.ts'

/** What is told of a record in its dead letter, in characters. */
const MOST_CHARACTERS = 200

/** Why a record of the inbox is none, in words for an operator. */
export function whyUnreadable(value: unknown, error: z.ZodError): string {
  if (typeof value !== 'object' || value === null) return 'it is no object'
  // An adapter says so of what it could not decode.
  if ('unreadable' in value && typeof value.unreadable === 'string') {
    return value.unreadable.slice(0, MOST_CHARACTERS)
  }
  if (!('schema' in value) || value.schema !== LOG_SCHEMA) {
    const schema = 'schema' in value ? JSON.stringify(value.schema) : 'missing'
    return `its schema is ${String(schema).slice(0, MOST_CHARACTERS)}, this release reads ${LOG_SCHEMA}`
  }
  return fieldsOf(error.issues).slice(0, MOST_CHARACTERS)
}

/** Of the kinds that a record may be, the one that it is nearest to tells what is wrong. */
function fieldsOf(issues: readonly z.core.$ZodIssue[]): string {
  const [first] = issues
  if (!first) return 'it is no record of the inbox'
  if (first.code !== 'invalid_union' || first.errors.length === 0) {
    return `${first.path.join('.')}: ${first.message}`
  }
  const isOfKind = (branch: readonly z.core.$ZodIssue[]) =>
    branch.every(({ path }) => path[0] !== 'kind')
  const nearest = first.errors.find(isOfKind)
  return nearest ? fieldsOf(nearest) : 'its kind is none of the inbox'
}
