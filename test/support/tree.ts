import { readdirSync } from 'node:fs'
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
  runtime: [],
  schemas: [],
  domain: ['schemas'],
  ports: ['schemas', 'domain'],
  'query-index': ['schemas', 'domain', 'ports'],
  streams: ['runtime', 'schemas', 'domain', 'ports'],
  authorities: ['runtime', 'schemas', 'domain', 'ports'],
  actors: ['runtime', 'schemas', 'domain', 'ports', 'authorities'],
  projections: ['runtime', 'schemas', 'domain', 'ports'],
  gateway: ['runtime', 'schemas', 'domain', 'ports', 'streams', 'authorities'],
  pairing: ['runtime', 'schemas', 'domain', 'ports', 'streams'],
  circles: ['schemas', 'domain', 'ports'],
  http: ['runtime', 'schemas', 'ports', 'gateway', 'pairing', 'circles'],
  adapters: ['runtime', 'schemas', 'domain', 'ports', 'query-index'],
  devnet: ['runtime', 'schemas', 'domain', 'ports', 'adapters'],
  roles: [
    'runtime',
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
    'runtime',
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
