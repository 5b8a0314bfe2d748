import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { noSuchRoute } from '../plugins/unknown-routes.ts'

/** Names of hashed files carry a hash of their content: they never change. */
const HASHED_MS = 365 * 24 * 3_600_000

interface BuiltFolder {
  root: string
  /** The path before the names of its files, with a slash at its end. */
  prefix: string
  /** True: caches keep the files forever. False: caches revalidate them. */
  isHashed: boolean
  /** Globs of files that are served otherwise. */
  except?: string[]
}

/**
 * The files of a folder, as built, compressed for clients that accept it. Each has a route of its
 * own: no path from outside reaches the disk, and every other path below is 404.
 */
export async function serveBuiltFiles(
  scope: FastifyInstance,
  { root, prefix, isHashed, except = [] }: BuiltFolder,
): Promise<void> {
  await scope.register(async (files) => {
    files.addHook('onRoute', (route) => {
      route.config = { ...route.config, answersUnderLoad: true }
    })
    files.addHook('onRequest', async (_request, reply) => {
      reply.header('vary', 'accept-encoding')
    })
    await files.register(fastifyStatic, {
      root,
      prefix,
      wildcard: false,
      globIgnore: [...except, '**/*.{br,gz}'],
      index: isHashed ? false : ['index.html'],
      preCompressed: true,
      decorateReply: false,
      ...(isHashed
        ? { immutable: true, maxAge: HASHED_MS }
        : {
            cacheControl: false,
            setHeaders: (response) => {
              response.setHeader('cache-control', 'no-cache')
            },
          }),
    })
  })
  // The files of another version are not there.
  scope.get(`${prefix}*`, { schema: { hide: true } }, async (request) => {
    throw noSuchRoute(request)
  })
}
