import type { Config } from '../../schemas/config/config.ts'
import { createdKey } from './stored-key.ts'

/** CURSOR_KEY, or a key generated once and kept in DATA_DIR. */
export function cursorKeys({ CURSOR_KEY, DATA_DIR }: Config): [Uint8Array, ...Uint8Array[]] {
  const [first, ...others] = bytesOf(CURSOR_KEY)
  return first ? [first, ...others] : [createdKey(DATA_DIR, 'cursor.key')]
}

/** WEBHOOK_KEY, or a key kept in DATA_DIR. Empty for roles that would have to share that key. */
export function webhookKeys({ WEBHOOK_KEY, DATA_DIR, ROLE }: Config): Uint8Array[] {
  if (WEBHOOK_KEY || ROLE !== 'all') return bytesOf(WEBHOOK_KEY)
  return [createdKey(DATA_DIR, 'webhook.key')]
}

const bytesOf = (keys: readonly string[] = []): Uint8Array[] =>
  keys.map((key) => Buffer.from(key, 'utf8'))
