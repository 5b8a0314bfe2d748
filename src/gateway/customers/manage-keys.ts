import { createHash } from 'node:crypto'
import type { EventLog } from '../../ports/log/event-log.ts'
import type { Clock } from '../../runtime/clock.ts'
import type {
  CreateKey,
  KeyList,
  KeyView,
  KeyWithSecret,
  RotateKey,
} from '../../schemas/customers/key-api.ts'
import {
  type KeyRecord,
  type KeySecretRecord,
  type KeyTier,
  MAX_KEY_SECRETS,
  MAX_KEYS,
} from '../../schemas/customers/key-records.ts'
import { oneAtATime } from '../one-at-a-time.ts'
import { RefusalError } from '../refusal.ts'
import { type ApiKey, readKeys, recordKeys, recordOfKey, secretsAt } from './key-registry.ts'
import { hashOfKey, writtenKey } from './key-text.ts'

/** What the operators' use cases need. */
export interface KeyOffice {
  log: Pick<EventLog, 'append' | 'stored'>
  clock: Pick<Clock, 'now'>
  /** API_TIERS, by name. */
  tiers: ReadonlyMap<string, KeyTier>
  /** Resolves when this gateway accepts what was recorded, and nothing else. */
  refresh: () => Promise<void>
  /** Bytes that cannot be guessed. */
  randomBytes: (count: number) => Buffer
}

const SECRET_BYTES = 32
const ID_DIGITS = 16
const DAY_SECONDS = 86_400

/** The keys that are not revoked. @throws StorageUnavailableError */
export async function listKeys(office: KeyOffice): Promise<KeyList> {
  const keys = await readKeys(office)
  return { keys: keys.map((key) => viewOf(office, key)) }
}

/**
 * Makes a key. Only this answer shows it: a client that lost the answer rotates the key.
 *
 * @throws RefusalError VALIDATION_FAILED: the name is taken, the tier is unknown, too many keys
 */
export function createKey(
  office: KeyOffice,
  { name, tier }: CreateKey,
  operator: string,
): Promise<KeyWithSecret> {
  return oneAtATime(office.log, async () => {
    if (!office.tiers.has(tier)) throw invalid(`tier: must be one of ${tierNames(office)}`)
    const known = await readKeys(office)
    if (known.some((one) => one.name === name)) throw taken()
    if (known.length >= MAX_KEYS) throw invalid(`name: there are ${MAX_KEYS} keys already`)
    const createdAt = timeOf(office)
    const { key, secret } = newSecret(office, { id: null, name })
    const { id } = secret
    const revokedAt = null
    const made = {
      schema: 1,
      kind: 'key',
      id,
      name,
      tier,
      operator,
      createdAt,
      revokedAt,
    } as const
    await record(office, [made, secret])
    // Another process may have made one under this name at the same time: the first one holds.
    const first = (await readKeys(office)).find((one) => one.name === name)
    if (first?.id === id) return { ...viewOf(office, first), key }
    await record(office, [{ ...made, revokedAt: timeOf(office) }])
    throw taken()
  })
}

/**
 * Makes a new secret for a key; those before it are accepted for a day, or for as long as is asked.
 *
 * @throws RefusalError NOT_FOUND, VALIDATION_FAILED (too many secrets are accepted)
 */
export function rotateKey(
  office: KeyOffice,
  name: string,
  { previousForSeconds = DAY_SECONDS }: Partial<NonNullable<RotateKey>> = {},
): Promise<KeyWithSecret> {
  return oneAtATime(office.log, async () => {
    const found = await findKey(office, name)
    const now = office.clock.now()
    const until = new Date(now + previousForSeconds * 1_000).toISOString()
    const ending = secretsAt(found, now).map((one) =>
      one.until !== null && one.until < until ? one : { ...one, until },
    )
    if (previousForSeconds > 0 && ending.length >= MAX_KEY_SECRETS) {
      throw invalid(
        `name: ${MAX_KEY_SECRETS} secrets are accepted already: end them with previousForSeconds 0`,
      )
    }
    const { key, secret } = newSecret(office, found)
    await record(office, [...ending, secret])
    return { ...viewOf(office, await findKey(office, name)), key }
  })
}

/**
 * Ends a key with all its secrets, at once; returns it as it was.
 *
 * @throws RefusalError NOT_FOUND
 */
export function revokeKey(office: KeyOffice, name: string): Promise<KeyView> {
  return oneAtATime(office.log, async () => {
    const found = await findKey(office, name)
    const view = viewOf(office, found)
    await record(office, [recordOfKey({ ...found, revokedAt: timeOf(office) })])
    return view
  })
}

async function record(office: KeyOffice, records: readonly KeyRecord[]): Promise<void> {
  await recordKeys(office.log, records)
  await office.refresh()
}

async function findKey(office: KeyOffice, name: string): Promise<ApiKey> {
  const found = (await readKeys(office)).find((one) => one.name === name)
  if (found) return found
  throw new RefusalError('NOT_FOUND', 'no key has this name')
}

/** `id` null: the first secret of a key, whose id it gives. */
function newSecret(
  office: KeyOffice,
  { id, name }: { id: string | null; name: string },
): { key: string; secret: KeySecretRecord } {
  const key = writtenKey(office.randomBytes(SECRET_BYTES))
  const sha256 = hashOfKey(key).toString('hex')
  // A hash of the hash, not a part of it: an id is shown where a hash is not.
  const own = id ?? createHash('sha256').update(sha256).digest('hex').slice(0, ID_DIGITS)
  const made = { madeAt: timeOf(office), until: null }
  return { key, secret: { schema: 1, kind: 'secret', id: own, name, sha256, ...made } }
}

function viewOf({ tiers, clock }: KeyOffice, key: ApiKey): KeyView {
  const { name, tier, createdAt, secrets } = key
  const { name: _tier, ...limits } = tiers.get(tier) ?? { name: null }
  return {
    ...{ name, tier, createdAt },
    limits: 'requests' in limits ? limits : null,
    secrets: secretsAt(key, clock.now()).length,
    rotatedAt: [createdAt, ...secrets.map(({ madeAt }) => madeAt)].sort().at(-1) ?? createdAt,
  }
}

const timeOf = ({ clock }: KeyOffice): string => new Date(clock.now()).toISOString()
const invalid = (reason: string): RefusalError => new RefusalError('VALIDATION_FAILED', reason)
const taken = (): RefusalError => invalid('name: is taken')
const tierNames = ({ tiers }: KeyOffice): string => [...tiers.keys()].join(', ') || 'none'
