import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../tree.ts'

/** The methods of the node that its configuration grants the service. */
export function documentedMethods(): string[] {
  const file = readFileSync(join(ROOT, 'deploy/systemd/bitcoin.conf'), 'utf8')
  const [, list] = /^rpcwhitelist=market:([a-z,]+)$/m.exec(file) ?? []
  if (list === undefined) throw new Error('the file has no whitelist')
  return list.split(',')
}
