import type { EventLog, Stored } from '../../ports/log/event-log.ts'
import {
  type ApiKeyRecord,
  KeyRecord,
  type KeySecretRecord,
} from '../../schemas/customers/key-records.ts'
import { TOPICS } from '../../schemas/log.ts'
import { followRegistry, REGISTRY_PARTITION, readRegistry } from '../follow-registry.ts'

/** A key with its secrets, the newest first. */
export interface ApiKey extends Omit<ApiKeyRecord, 'kind' | 'schema'> {
  secrets: readonly KeySecretRecord[]
}

/** All keys in the order of the log, including revoked ones. */
export async function readKeys(log: Pick<EventLog, 'stored'>): Promise<readonly ApiKey[]> {
  return (await foldKeys(log)).keys
}

/** All keys in the order of the log, with the offset of the record that follows. */
export async function foldKeys(log: Pick<EventLog, 'stored'>): Promise<FoldedKeys> {
  return await readRegistry(log, TOPICS.keys, new KeyFold())
}

export interface FoldedKeys {
  readonly keys: readonly ApiKey[]
  readonly next: number
}

/** Emits the keys now and after each change, until the signal aborts. */
export const followKeys = (
  log: Pick<EventLog, 'stored' | 'read'>,
  show: (folded: FoldedKeys) => void,
  signal: AbortSignal,
): Promise<void> => followRegistry(log, TOPICS.keys, new KeyFold(), { show, signal })

export async function recordKeys(
  log: Pick<EventLog, 'append'>,
  records: readonly KeyRecord[],
): Promise<void> {
  await log.append(
    records.map((value) => ({
      topic: TOPICS.keys,
      partition: REGISTRY_PARTITION,
      key: value.kind === 'key' ? `key ${value.id}` : `secret ${value.sha256}`,
      value,
    })),
  )
}

/** The secrets of a key that are accepted at this time, the newest first. */
export const secretsAt = ({ secrets, revokedAt }: ApiKey, now: number): KeySecretRecord[] =>
  secrets.filter(({ until }) => revokedAt === null && (until === null || Date.parse(until) > now))

/** A key's own record, without its secrets. */
export function recordOfKey({ secrets: _secrets, ...key }: ApiKey): ApiKeyRecord {
  return { schema: 1, kind: 'key', ...key }
}

/**
 * The last record of each key and of each secret. A key's own record is written twice, when it is
 * made and when it is revoked; a secret has another, so that two processes that rotate a key at once
 * lose neither of the secrets that they show, and make no revoked key valid again.
 */
class KeyFold {
  readonly #keys = new Map<string, ApiKeyRecord>()
  readonly #secrets = new Map<string, KeySecretRecord>()
  next = 0

  get keys(): readonly ApiKey[] {
    const secrets = [...this.#secrets.values()].reverse()
    return [...this.#keys.values()].map(({ kind: _kind, schema: _schema, ...key }) => ({
      ...key,
      secrets: secrets.filter(({ id }) => id === key.id),
    }))
  }

  add(batch: readonly Stored<unknown>[]): void {
    for (const { offset, value } of batch) {
      this.next = offset + 1
      // A record of a later release, or not ours: it must not end the others.
      const { data: record } = KeyRecord.safeParse(value)
      if (record?.kind === 'key') this.#keys.set(record.id, record)
      if (record?.kind === 'secret') this.#secrets.set(record.sha256, record)
    }
  }
}
