import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '../..')

/** Paths from the root, skipping folders of these names. */
export function filesBelow(folder: string, skipped: ReadonlySet<string> = new Set()): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (!entry.isDirectory()) return [path]
    return skipped.has(entry.name) ? [] : filesBelow(path, skipped)
  })
}

/** What each folder of `src` may import besides itself, in the order in which data flows. */
export const MAY_IMPORT: Record<string, readonly string[]> = {
  schemas: [],
  domain: ['schemas'],
  ports: ['schemas', 'domain'],
  streams: ['schemas', 'domain', 'ports'],
  authorities: ['schemas', 'domain', 'ports'],
  actors: ['schemas', 'domain', 'ports', 'authorities'],
  projections: ['schemas', 'domain', 'ports'],
  gateway: ['schemas', 'domain', 'ports', 'streams', 'authorities'],
  pairing: ['schemas', 'domain', 'ports', 'streams'],
  circles: ['schemas', 'domain', 'ports'],
  http: ['schemas', 'ports', 'gateway', 'pairing', 'circles'],
  'query-index': ['schemas', 'domain', 'ports'],
  adapters: ['schemas', 'domain', 'ports', 'query-index'],
  devnet: ['schemas', 'domain', 'ports', 'adapters'],
  roles: [
    'schemas',
    'domain',
    'ports',
    'streams',
    'authorities',
    'actors',
    'projections',
    'gateway',
    'pairing',
    'circles',
    'http',
    'adapters',
    'devnet',
  ],
  operator: [
    'schemas',
    'domain',
    'ports',
    'streams',
    'actors',
    'projections',
    'pairing',
    'circles',
    'http',
    'adapters',
    'roles',
  ],
  cli: ['schemas', 'ports', 'roles', 'operator'],
}

/** Rows of Markdown: each folder, the first paragraph of its README, and what it may import. */
export const folderRows = (): string[] =>
  Object.entries(MAY_IMPORT).map(([folder, others]) => {
    const readme = readFileSync(join(ROOT, 'src', folder, 'README.md'), 'utf8')
    const [holds = ''] = readme.trim().split('\n\n')
    const allowed = others.length > 0 ? others.join(', ') : 'nothing'
    return `| [\`src/${folder}\`](../src/${folder}) | ${holds.replaceAll('\n', ' ')} | ${allowed} |`
  })
