import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../tree.ts'

/** The methods of the node that docs/kubernetes.md grants the service. */
export function documentedMethods(): string[] {
  const page = readFileSync(join(ROOT, 'docs/kubernetes.md'), 'utf8')
  const [, list] = /^ *rpcwhitelist=market:([a-z,]+)$/m.exec(page) ?? []
  if (list === undefined) throw new Error('the page names no whitelist')
  return list.split(',')
}
