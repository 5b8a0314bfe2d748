import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { CustomerKeys } from '../../../src/gateway/customers/customer-keys.ts'
import { readKeys, recordKeys } from '../../../src/gateway/customers/key-registry.ts'
import {
  createKey,
  type KeyOffice,
  listKeys,
  revokeKey,
  rotateKey,
} from '../../../src/gateway/customers/manage-keys.ts'
import { KeyRecord, MAX_KEYS } from '../../../src/schemas/customers/key-records.ts'
import { TOPICS } from '../../../src/schemas/log.ts'
import { withEmbeddedLog } from '../../support/log/with-embedded-log.ts'

const TIER = { name: 'maker', requests: 100, storedKib: 1_024, streams: 1, webhooks: 1 }
const TIERS = new Map([[TIER.name, TIER]])
const ACME = { name: 'acme', tier: 'maker' }
const DAY_MS = 86_400_000

interface Bench {
  office: KeyOffice
  keys: CustomerKeys
  advance: (ms: number) => void
}

const withOffice = (run: (bench: Bench) => Promise<void>) =>
  withEmbeddedLog(1)(async (log, clock) => {
    const keys = new CustomerKeys(TIERS, clock)
    const refresh = () => keys.refresh(log)
    await refresh()
    const office = { log, clock, tiers: TIERS, randomBytes, refresh }
    await run({ office, keys, advance: (ms) => clock.advance(ms) })
  })

/** As of another process: its acts do not wait for those of this one. */
const apartFrom = (office: KeyOffice): KeyOffice => ({
  ...office,
  log: { append: office.log.append.bind(office.log), stored: office.log.stored.bind(office.log) },
})

test('the secret before a rotation is accepted for a day, whatever is rotated after it', () =>
  withOffice(async ({ office, keys, advance }) => {
    const { key: first } = await createKey(office, ACME, 'bob')
    advance(DAY_MS)
    const { key: second } = await rotateKey(office, 'acme')
    advance(DAY_MS - 1_000)
    // Does not lengthen the life of the first.
    const { key: third } = await rotateKey(office, 'acme')
    const accepted = () => [first, second, third].map((key) => keys.recognise(key) !== null)
    expect(accepted()).toEqual([true, true, true])
    advance(1_000)
    expect(accepted()).toEqual([false, true, true])
    advance(DAY_MS)
    expect(accepted()).toEqual([false, false, true])
    expect(keys.recognise(third)).toEqual({ name: 'acme', tier: TIER })
  }))

test('what is shown is in the log only as a hash, with the operator who made it', () =>
  withOffice(async ({ office }) => {
    const { key } = await createKey(office, ACME, 'bob')
    const stored: unknown[] = []
    for await (const batch of office.log.stored(TOPICS.keys, 0, 0)) stored.push(...batch)
    expect(JSON.stringify(stored)).not.toContain(key.slice(4))
    expect(stored).toMatchObject([
      { value: { kind: 'key', name: 'acme', operator: 'bob', revokedAt: null } },
      { value: { kind: 'secret', name: 'acme', until: null } },
    ])
  }))

test('what has ended is not kept: secrets for a day more, so that no late record revives them', () =>
  withOffice(async ({ office, keys, advance }) => {
    await createKey(office, ACME, 'bob')
    for (let n = 0; n < 20; n += 1) await rotateKey(office, 'acme', { previousForSeconds: 0 })
    const { key } = await createKey(office, { ...ACME, name: 'gone' }, 'bob')
    await revokeKey(office, 'gone')
    const known = async () =>
      (await readKeys(office)).map(({ name, secrets }) => [name, secrets.length])
    expect(await known()).toEqual([['acme', 21]])
    advance(DAY_MS)
    expect(await known()).toEqual([['acme', 1]])
    // A record of a key that was revoked, by a process that had read it before.
    const [secret] = await storedSecrets(office, 'gone')
    await recordKeys(office.log, [{ ...secret, until: null } as never])
    await keys.refresh(office.log)
    expect(keys.recognise(key)).toBeNull()
    expect(await known()).toEqual([['acme', 1]])
  }))

async function storedSecrets({ log }: KeyOffice, name: string): Promise<KeyRecord[]> {
  const records: KeyRecord[] = []
  for await (const batch of log.stored(TOPICS.keys, 0, 0))
    records.push(...batch.map(({ value }) => KeyRecord.parse(value)))
  return records.filter((one) => one.kind === 'secret' && one.name === name)
}

test('of two processes that make a key under one name at once, one does', () =>
  withOffice(async ({ office }) => {
    const results = await Promise.allSettled([
      createKey(office, ACME, 'bob'),
      createKey(apartFrom(office), ACME, 'eve'),
    ])
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect((await listKeys(office)).keys).toHaveLength(1)
  }))

test('of two processes that rotate a key at once, neither loses its secret', () =>
  withOffice(async ({ office, keys }) => {
    await createKey(office, ACME, 'bob')
    const both = await Promise.all([
      rotateKey(office, 'acme'),
      rotateKey(apartFrom(office), 'acme'),
    ])
    for (const { key } of both) expect(keys.recognise(key)?.name).toBe('acme')
  }))

test.each([
  ['after', (office: KeyOffice) => [apartFrom(office), office] as const],
  ['before', (office: KeyOffice) => [office, apartFrom(office)] as const],
])('a secret that one process ends stays ended, if another rotates its key %s it', (_, of) =>
  withOffice(async ({ office, keys, advance }) => {
    const { key } = await createKey(office, ACME, 'bob')
    const [first, second] = of(office)
    const ends = { previousForSeconds: 0 }
    await Promise.all([
      rotateKey(first, 'acme', first === office ? ends : {}),
      rotateKey(second, 'acme', second === office ? ends : {}),
    ])
    expect(keys.recognise(key)).toBeNull()
    expect((await listKeys(office)).keys).toMatchObject([{ secrets: 2 }])
    advance(DAY_MS)
    expect(keys.recognise(key)).toBeNull()
  }),
)

test('a revoked key stays revoked, whatever is rotated at the same time', () =>
  withOffice(async ({ office, keys }) => {
    const { key } = await createKey(office, ACME, 'bob')
    const acts = [revokeKey(office, 'acme'), rotateKey(apartFrom(office), 'acme')]
    const [revoked] = await Promise.allSettled(acts)
    expect(revoked?.status).toBe('fulfilled')
    expect(keys.recognise(key)).toBeNull()
    expect(await listKeys(office)).toEqual({ keys: [] })
    await expect(rotateKey(office, 'acme')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  }))

test('whoever follows the topic accepts a key soon, and a revoked one no more', () =>
  withOffice(async ({ office }) => {
    const elsewhere = new CustomerKeys(TIERS, office.clock)
    const stop = new AbortController()
    const followed = elsewhere.follow(office.log as never, stop.signal)
    const { key } = await createKey(office, ACME, 'bob')
    await expect.poll(() => elsewhere.recognise(key)?.name).toBe('acme')
    await revokeKey(office, 'acme')
    await expect.poll(() => elsewhere.recognise(key)).toBeNull()
    stop.abort()
    await followed
  }))

test('records of a later release, or of nobody, end nothing', () =>
  withOffice(async ({ office, keys }) => {
    const { key } = await createKey(office, ACME, 'bob')
    const value = { schema: 2, kind: 'key', id: 'x' }
    await office.log.append([{ topic: TOPICS.keys, partition: 0, key: 'x', value: value as never }])
    await keys.refresh(office.log)
    expect(keys.recognise(key)?.name).toBe('acme')
  }))

test(`there are at most ${MAX_KEYS} keys, without those that are revoked`, () =>
  withOffice(async ({ office }) => {
    const made = Array.from({ length: MAX_KEYS }, (_, n) => ({
      ...({ schema: 1, kind: 'key', tier: 'maker', operator: 'bob', revokedAt: null } as const),
      id: n.toString(16).padStart(16, '0'),
      name: `key-${n}`,
      createdAt: new Date(office.clock.now()).toISOString(),
    }))
    await recordKeys(office.log, made)
    await expect(createKey(office, ACME, 'bob')).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
    })
    await revokeKey(office, 'key-0')
    await createKey(office, ACME, 'bob')
  }))
