import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const KEY_BYTES = 32

/** The key in a file of DATA_DIR, which only its owner may read; generated if there is none. */
export function createdKey(dataDir: string, name: string): Uint8Array {
  mkdirSync(dataDir, { recursive: true })
  const path = join(dataDir, name)
  try {
    // Created only if absent; a process that loses the race reads it.
    writeFileSync(path, randomBytes(KEY_BYTES).toString('hex'), { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
  return readKey(path)
}

/** The key in a file of DATA_DIR, or null if there is none. */
export function storedKey(dataDir: string, name: string): Uint8Array | null {
  const path = join(dataDir, name)
  return existsSync(path) ? readKey(path) : null
}

function readKey(path: string): Uint8Array {
  const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'hex')
  if (key.length !== KEY_BYTES) throw new Error(`${path} does not contain a valid key: delete it`)
  return key
}
