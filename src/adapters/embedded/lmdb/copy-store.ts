import { rm } from 'node:fs/promises'
import { open } from 'lmdb'
import { MAX_TABLES } from './lmdb-environment.ts'

/**
 * Copies an environment as it is at one moment, even while the process that owns it writes. In the copy
 * no process owns it. Returns the id of the log that it has, null if it has none.
 */
export async function copyStore(from: string, to: string): Promise<{ logId: string | null }> {
  const source = open({ path: from, readOnly: true, maxDbs: MAX_TABLES })
  try {
    await source.backup(to, true)
  } finally {
    await source.close()
  }
  const copy = open({ path: to, overlappingSync: false, maxDbs: MAX_TABLES })
  try {
    const tables = new Set([...copy.getKeys()].map(String))
    const tableOf = (name: string) =>
      tables.has(name) ? copy.openDB<unknown, string>({ name }) : null
    await tableOf('owner')?.remove('owner')
    const logId = tableOf('log settings')?.get('id')
    return { logId: typeof logId === 'string' ? logId : null }
  } finally {
    await copy.close()
    await rm(`${to}-lock`, { force: true })
  }
}
