import type {} from '@fastify/swagger'
import type { FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import { z } from 'zod'

declare module 'fastify' {
  interface FastifySchema {
    /** The parameter that each message of a 400 is about, where the failures are messages. */
    faults?: Readonly<Record<string, string>>
  }
}

/** Where the reference describes an operation. */
export const referencePageOf = ({ operationId, tags = [] }: FastifySchema): string =>
  operationId === undefined || tags[0] === undefined
    ? '/docs/'
    : `/docs/${tags[0].toLowerCase().replaceAll(/[^a-z]/g, '-')}/#${operationId}`

/**
 * What a failure says beside its body, whose shape the contracts close (ADR 124): the page of the
 * operation, and the parameter or the field of the body that is at fault, if one is.
 */
export function addHelp(
  { routeOptions: { schema = {} } }: FastifyRequest,
  reply: FastifyReply,
  { reasons, isOfRequest }: { reasons: readonly string[]; isOfRequest: boolean },
): void {
  reply.header('link', `<${referencePageOf(schema)}>; rel="help"`)
  const fault = faultIn(reasons[0] ?? '', schema, isOfRequest)
  if (fault !== null) reply.header('error-param', fault)
}

/** A name, or a path such as `asset.outpoint.vout`, before what is wrong with it. */
const NAMED = /^([A-Za-z][\w.-]{0,63}): /
/** Where the whole of a part is at fault. */
const PARTS = new Set(['body', 'params', 'querystring', 'headers'])

/** @param isOfRequest the reason is of the validation: it begins with a name, known or not */
function faultIn(reason: string, schema: FastifySchema, isOfRequest: boolean): string | null {
  const known = schema.faults?.[reason]
  if (known !== undefined) return known
  const path = NAMED.exec(reason)?.[1]
  if (path === undefined) return null
  const [root = ''] = path.split('.')
  const isName = isOfRequest ? !PARTS.has(path) : namesIn(schema).includes(root)
  return isName ? path : null
}

const namesIn = ({ params, querystring, body }: FastifySchema): string[] =>
  [params, querystring, body].flatMap((part) =>
    part instanceof z.ZodObject ? Object.keys(part.shape) : [],
  )
