import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { RefusalError } from '../../gateway/refusal.ts'
import { JsonRefusedError, parseJson } from '../../schemas/json.ts'
import { atOnce } from './at-once.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** SHA-256 of the body's bytes: distinguishes bodies under one Idempotency-Key. */
    bodyHash: string
  }
}

const NO_BODY_HASH = hashOf(Buffer.alloc(0))
const MEDIA_TYPE = /^application\/json(?: *; *charset="?utf-8"?)?$/i

/** Accepts only plain UTF-8 JSON bodies. */
export function readJsonBodies(app: FastifyInstance): void {
  app.decorateRequest('bodyHash', NO_BODY_HASH)

  app.addHook(
    'onRequest',
    atOnce((request) => {
      // No route there takes a body: its headers are ignored.
      if (request.server.answersInMessages) return
      const encoding = request.headers['content-encoding']
      // A compressed body could expand a thousandfold: none is ever decompressed.
      if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
        throw new RefusalError('UNSUPPORTED_MEDIA_TYPE', 'Content-Encoding is not supported')
      }
    }),
  )

  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      if (!MEDIA_TYPE.test(request.headers['content-type'] ?? '')) {
        throw new RefusalError(
          'UNSUPPORTED_MEDIA_TYPE',
          'the body must be application/json in UTF-8',
        )
      }
      request.bodyHash = hashOf(body)
      return body.length === 0 ? undefined : parse(body)
    },
  )
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function parse(body: Buffer): unknown {
  try {
    return parseJson(utf8.decode(body))
  } catch (error) {
    const reason =
      error instanceof JsonRefusedError ? error.message : 'the bytes are not valid UTF-8'
    throw new RefusalError('BAD_REQUEST', `body: ${reason}`)
  }
}

function hashOf(body: Buffer): string {
  return createHash('sha256').update(body).digest('hex')
}
