import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../schemas/config/config.ts'

const KEY_BYTES = 32

/** CURSOR_KEY, or a key generated once and kept in DATA_DIR. */
export function cursorKeys({ CURSOR_KEY, DATA_DIR }: Config): [Uint8Array, ...Uint8Array[]] {
  const [first, ...others] = bytesOf(CURSOR_KEY)
  return first ? [first, ...others] : [keptKey(DATA_DIR, 'cursor.key')]
}

/** WEBHOOK_KEY, or a key kept in DATA_DIR. Empty for roles that would have to share that key. */
export function webhookKeys({ WEBHOOK_KEY, DATA_DIR, ROLE }: Config): Uint8Array[] {
  if (WEBHOOK_KEY || ROLE !== 'all') return bytesOf(WEBHOOK_KEY)
  return [keptKey(DATA_DIR, 'webhook.key')]
}

const bytesOf = (keys: readonly string[] = []): Uint8Array[] =>
  keys.map((key) => Buffer.from(key, 'utf8'))

function keptKey(dataDir: string, name: string): Uint8Array {
  mkdirSync(dataDir, { recursive: true })
  const path = join(dataDir, name)
  try {
    // Created only if absent; a process that loses the race reads it.
    writeFileSync(path, randomBytes(KEY_BYTES).toString('hex'), { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
  const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'hex')
  if (key.length !== KEY_BYTES) throw new Error(`${path} does not contain a valid key: delete it`)
  return key
}
