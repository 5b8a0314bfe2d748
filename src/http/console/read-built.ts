import { readdir, readFile, stat } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { tagOf } from '../plugins/headers.ts'
import type { StoredFile } from './stored-file.ts'

/** The bytes of a folder that are kept in memory, with what is compressed: three times what is built. */
const MAX_BYTES = 16 * 1_048_576

const MEDIA_TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/**
 * The files of a folder by name, with slashes, each with the compressed ones that the build put beside
 * it. `except`: names, or folders with a slash at their end, to leave out.
 */
export async function readBuilt(
  root: string,
  except: readonly string[],
): Promise<Map<string, StoredFile>> {
  const names = await namesBelow(root, except)
  await requireRoom(root, names)
  const bodies = new Map<string, Buffer>()
  for (const name of names) bodies.set(name, await readFile(join(root, name)))
  const files = new Map<string, StoredFile>()
  for (const [name, body] of bodies) {
    const br = bodies.get(`${name}.br`)
    const gzip = bodies.get(`${name}.gz`)
    const coded = { ...(br && { br }), ...(gzip && { gzip }) }
    if (!isCoded(name)) files.set(name, { mediaType: typeOf(name), tag: tagOf(body), body, coded })
  }
  return files
}

async function namesBelow(root: string, except: readonly string[]): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(root, join(parentPath, name)).split(sep).join('/'))
    .filter(
      (name) => !except.some((one) => (one.endsWith('/') ? name.startsWith(one) : name === one)),
    )
}

async function requireRoom(root: string, names: readonly string[]): Promise<void> {
  const sizes = await Promise.all(names.map((name) => stat(join(root, name))))
  const bytes = sizes.reduce((sum, { size }) => sum + size, 0)
  if (bytes > MAX_BYTES)
    throw new Error(
      `${root} has files of ${bytes} bytes, more than the ${MAX_BYTES} that are kept in memory: ` +
        'build it again',
    )
}

const isCoded = (name: string): boolean => name.endsWith('.br') || name.endsWith('.gz')

const typeOf = (name: string): string => MEDIA_TYPES[extname(name)] ?? 'application/octet-stream'
