import type { EventLog, Stored } from '../../ports/log/event-log.ts'
import type { Clock } from '../../runtime/clock.ts'
import {
  type ApiKeyRecord,
  KeyRecord,
  type KeySecretRecord,
} from '../../schemas/customers/key-records.ts'
import { TOPICS } from '../../schemas/log.ts'
import { followRegistry, REGISTRY_PARTITION, readRegistry } from '../follow-registry.ts'

/** How long a secret is kept after its end, milliseconds. */
const KEPT_MS = 86_400_000

/** A key with its secrets, the newest first: those that are accepted, and those that ended of late. */
export interface ApiKey extends Omit<ApiKeyRecord, 'kind' | 'schema'> {
  secrets: readonly KeySecretRecord[]
}

/** Where the keys are read, and the time by which their secrets end. */
export interface KeySource<L extends Pick<EventLog, 'stored'> = Pick<EventLog, 'stored'>> {
  log: L
  clock: Pick<Clock, 'now'>
}

/** The keys that are not revoked, in the order of the log. */
export async function readKeys(source: KeySource): Promise<readonly ApiKey[]> {
  return (await foldKeys(source)).keys
}

/** The keys that are not revoked, with the offset of the record that follows. */
export async function foldKeys({ log, clock }: KeySource): Promise<FoldedKeys> {
  return await readRegistry(log, TOPICS.keys, new KeyFold(clock))
}

export interface FoldedKeys {
  readonly keys: readonly ApiKey[]
  readonly next: number
}

/** Emits the keys now and after each change, until the signal aborts. */
export const followKeys = (
  { log, clock }: KeySource<Pick<EventLog, 'stored' | 'read'>>,
  show: (folded: FoldedKeys) => void,
  signal: AbortSignal,
): Promise<void> => followRegistry(log, TOPICS.keys, new KeyFold(clock), { show, signal })

export async function recordKeys(
  log: Pick<EventLog, 'append'>,
  records: readonly KeyRecord[],
): Promise<void> {
  await log.append(
    records.map((value) => ({
      topic: TOPICS.keys,
      partition: REGISTRY_PARTITION,
      key: keyOfRecord(value),
      value,
    })),
  )
}

/** A compaction keeps the last record under a key: ends that two processes gave a secret are both kept. */
const keyOfRecord = (record: KeyRecord): string =>
  record.kind === 'key'
    ? `key ${record.id}`
    : `secret ${record.sha256}${record.until === null ? '' : ` ${record.until}`}`

/** The secrets of a key that are accepted at this time, the newest first. */
export const secretsAt = ({ secrets }: ApiKey, now: number): KeySecretRecord[] =>
  secrets.filter((secret) => endOf(secret) > now)

/** When a secret is accepted no more, Unix milliseconds. */
export const endOf = ({ until }: KeySecretRecord): number =>
  until === null ? Number.POSITIVE_INFINITY : Date.parse(until)

/** A key's own record, without its secrets. */
export function recordOfKey({ secrets: _secrets, ...key }: ApiKey): ApiKeyRecord {
  return { schema: 1, kind: 'key', ...key }
}

/**
 * The last record of each key, and of each secret the one that ends it first. A key's own record is
 * written twice, when it is made and when it is revoked; a secret has others, so that two processes
 * that rotate a key at once lose neither of the secrets that they show, and make neither a revoked
 * key nor an ended secret valid again.
 */
class KeyFold {
  readonly #clock: Pick<Clock, 'now'>
  readonly #keys = new Map<string, ApiKeyRecord>()
  /** By the id of their key, then by their hash. */
  readonly #secrets = new Map<string, Map<string, KeySecretRecord>>()
  /** The ids of revoked keys, of which nothing else is kept. */
  readonly #revoked = new Set<string>()
  next = 0

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  get keys(): readonly ApiKey[] {
    this.#dropEnded()
    return [...this.#keys.values()].map(({ kind: _kind, schema: _schema, ...key }) => ({
      ...key,
      secrets: [...(this.#secrets.get(key.id)?.values() ?? [])].reverse(),
    }))
  }

  add(batch: readonly Stored<unknown>[]): void {
    for (const { offset, value } of batch) {
      this.next = offset + 1
      // A record of a later release, or not ours: it must not end the others.
      const { data: record } = KeyRecord.safeParse(value)
      if (!record || this.#revoked.has(record.id)) continue
      if (record.kind === 'secret') this.#addSecret(record)
      else if (record.revokedAt === null) this.#keys.set(record.id, record)
      else this.#revoke(record.id)
    }
  }

  #revoke(id: string): void {
    this.#revoked.add(id)
    this.#keys.delete(id)
    this.#secrets.delete(id)
  }

  #addSecret(record: KeySecretRecord): void {
    const { id, sha256 } = record
    const secrets = this.#secrets.get(id) ?? new Map<string, KeySecretRecord>()
    this.#secrets.set(id, secrets)
    const known = secrets.get(sha256)
    if (!known || endOf(record) < endOf(known)) secrets.set(sha256, record)
  }

  /** A secret that has just ended is kept, since a record with a later end may follow. */
  #dropEnded(): void {
    const since = this.#clock.now() - KEPT_MS
    for (const secrets of this.#secrets.values())
      for (const [sha256, secret] of secrets) if (endOf(secret) <= since) secrets.delete(sha256)
  }
}
