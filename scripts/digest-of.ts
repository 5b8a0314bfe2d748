import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const sha256 = (content: string | Uint8Array): string =>
  createHash('sha256').update(content).digest('hex')

/**
 * The digest of all files of a folder: of one line for each, its SHA-256 and its path in the folder, by path. In the folder
 * `find * -type f | LC_ALL=C sort | xargs sha256sum | sha256sum` gives the same.
 */
export function digestOf(folder: string): string {
  const lines = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()
    .map((path) => `${sha256(readFileSync(join(folder, path)))}  ${path}\n`)
  return `sha256:${sha256(lines.join(''))}`
}
