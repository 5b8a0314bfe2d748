import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { noSuchRoute } from '../plugins/unknown-routes.ts'
import { readBuilt } from './read-built.ts'
import { sendFile } from './stored-file.ts'

/** Where `npm run build` puts pages: beside the service, when that is built too. */
const BUILT = import.meta.url.endsWith('.ts') ? '../../../dist/' : '../'
export const builtFolder = (name: string): string =>
  fileURLToPath(new URL(`${BUILT}${name}`, import.meta.url))

/**
 * Scripts and styles only from here, nothing inline; requests only to this origin. Texts of strangers
 * could not become markup even by mistake: no function that parses HTML is usable (Trusted Types).
 */
const policyWith = (...more: string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    ...more,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
export const PAGE_POLICY = policyWith()
/** The console's pages play what is sold, and frame it. */
export const CONSOLE_POLICY = policyWith("media-src 'self'", "frame-src 'self'")

/** Names of hashed files carry a hash of their content: they never change. */
const HASHED_S = 365 * 24 * 3_600

interface BuiltFolder {
  root: string
  /** The path before the names of its files, with a slash at its end. */
  prefix: string
  /** True: caches keep the files forever. False: caches revalidate them. */
  isHashed: boolean
  /** Counted as files of the guide, not as reads. */
  isGuide?: boolean
  /** Files, or folders with a slash at their end, that are served otherwise. */
  except?: string[]
}

const CACHED = {
  hashed: `public, max-age=${HASHED_S}, immutable`,
  revalidated: 'no-cache',
}

/**
 * The files of a folder from memory, as built, compressed for clients that accept it. Each has a route
 * of its own: no path from outside reaches the disk, and every other path below is 404.
 */
export async function serveBuiltFiles(
  scope: FastifyInstance,
  { root, prefix, isHashed, isGuide = false, except = [] }: BuiltFolder,
): Promise<void> {
  const config = { answersUnderLoad: true, isGuide }
  const cacheControl = isHashed ? CACHED.hashed : CACHED.revalidated
  for (const [name, file] of await readBuilt(root, except)) {
    const urls = [name]
    if (!isHashed && isIndex(name)) urls.push(name.slice(0, -INDEX.length))
    for (const url of urls)
      scope.get(`${prefix}${url}`, { schema: { hide: true }, config }, (request, reply) =>
        sendFile(request, reply, { file, cacheControl }),
      )
  }
  // The files of another version are not there; the page of a folder has a slash at its end.
  scope.get(`${prefix}*`, { schema: { hide: true } }, async (request, reply) => {
    const [path = ''] = request.url.split('?')
    if (scope.hasRoute({ method: 'GET', url: `${path}/` })) return reply.redirect(`${path}/`, 308)
    throw noSuchRoute(request)
  })
}

const INDEX = 'index.html'
const isIndex = (name: string): boolean => name === INDEX || name.endsWith(`/${INDEX}`)

/** Answers these paths with how to build what is not there. */
export function refuseUnbuilt(
  scope: FastifyInstance,
  name: string,
  paths: readonly string[],
): void {
  const answer = `The ${name} is not built: run "npm run build" and start again.\n`
  const notBuilt = async (_request: FastifyRequest, reply: FastifyReply) =>
    reply.code(404).type('text/plain; charset=utf-8').send(answer)
  for (const path of paths) scope.get(path, { schema: { hide: true } }, notBuilt)
}
