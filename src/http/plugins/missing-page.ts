import { existsSync, readFileSync } from 'node:fs'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { RefusalError } from '../../gateway/refusal.ts'
import { isBelow } from '../answers/message-errors.ts'

/** What a person is shown instead of the failure that a program reads. */
export interface MissingPage {
  /** Whether a browser asked for a page that does not exist. */
  isFor(error: unknown, request: FastifyRequest): boolean
  send(reply: FastifyReply): FastifyReply
}

/** Programs ask here, whatever they accept: an unknown path is refused as the contracts have it. */
const isForPrograms = isBelow('/api', '/pairing', '/circles', '/ready', '/devnet')

/** Undefined if the page was not built. */
export function missingPage(file: string, policy: string): MissingPage | undefined {
  if (!existsSync(file)) return undefined
  const page = readFileSync(file, 'utf8')
  return {
    isFor: (error, { method, url, headers }) =>
      error instanceof RefusalError &&
      error.code === 'NOT_FOUND' &&
      (method === 'GET' || method === 'HEAD') &&
      acceptsHtml(headers.accept) &&
      !isForPrograms(url.split('?')[0] ?? ''),
    send: (reply) =>
      reply
        .code(404)
        .header('content-security-policy', policy)
        .type('text/html; charset=utf-8')
        .send(page),
  }
}

const acceptsHtml = (accept = ''): boolean =>
  accept.split(',').some((one) => {
    const [type = '', ...parameters] = one.split(';').map((part) => part.trim().toLowerCase())
    return type === 'text/html' && !parameters.some((part) => /^q=0(?:\.0*)?$/.test(part))
  })
