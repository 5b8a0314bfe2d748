import { isIP } from 'node:net'
import { mayReach } from '../../domain/webhooks/public-address.ts'
import { deriveSecret, keyIdOf } from '../../domain/webhooks/webhook-secrets.ts'
import { hostOf, problemOfUrl } from '../../domain/webhooks/webhook-url.ts'
import type {
  CreateWebhook,
  RotateWebhook,
  WebhookWithSecret,
} from '../../schemas/webhooks/webhook-api.ts'
import {
  type DerivedSecret,
  MAX_SECRETS,
  MAX_WEBHOOKS,
  type WebhookEndpointRecord,
} from '../../schemas/webhooks/webhook-records.ts'
import { oneAtATime } from '../one-at-a-time.ts'
import { RefusalError } from '../refusal.ts'
import {
  changeWebhook,
  endsOf,
  isThere,
  ownWebhook,
  recordOf,
  timeOf,
  viewOf,
  type WebhookOffice,
} from './manage-webhooks.ts'
import { type Asked, type Asker, askedOf, findRepeated } from './repeated-request.ts'
import { followedBy } from './webhook-filter.ts'
import { readWebhooks, recordWebhooks, type Webhook } from './webhook-registry.ts'
import { validSecrets } from './webhook-signing.ts'

/** Previous secrets also sign, and a request can be repeated, for this long, milliseconds. */
const DAY_MS = 24 * 3_600_000
const NOBODY: Asker = { operator: '', key: null }

/**
 * Creates an endpoint that gets every change from now on. Repeated within a day by the same operator,
 * under its Idempotency-Key or with the same body, it shows the same secret again.
 *
 * @throws RefusalError VALIDATION_FAILED, WEBHOOKS_NOT_CONFIGURED, IDEMPOTENCY_KEY_REUSED
 */
export async function createWebhook(
  office: WebhookOffice,
  { name, url, filter, customer }: CreateWebhook,
  asker: Asker = NOBODY,
): Promise<WebhookWithSecret> {
  const problem = problemOfUrl(url, office.loopback)
  if (problem) throw new RefusalError('VALIDATION_FAILED', `url: ${problem}`)
  followedBy(office, filter)
  const key = newestKey(office)
  const asked = askedOf(asker, 'create', [
    name,
    url,
    filter,
    ...(customer === undefined ? [] : [customer]),
  ])
  const problemNow = await problemOfName(office, url)
  return oneAtATime(office.log, async () => {
    const known = await readWebhooks(office.log)
    const repeated = repeatedCreate(office, known, { name, asked, isKeyed: asker.key !== null })
    if (repeated) return await shown(office, repeated.webhook, repeated.secret)
    if (problemNow) throw new RefusalError('VALIDATION_FAILED', `url: ${problemNow}`)
    const before = known.get(name)
    if (before && isThere(before)) throw taken()
    if (countOf(known) >= MAX_WEBHOOKS) throw tooMany()
    if (customer !== undefined) requireAllowed(office, known, customer)
    const endpoint: WebhookEndpointRecord = {
      schema: 1,
      kind: 'endpoint',
      name,
      generation: (before?.generation ?? 0) + 1,
      url,
      filter,
      source: 'operator',
      ...(customer !== undefined && { customer }),
      secrets: [{ key: keyIdOf(key), version: 1, until: null, asked }],
      from: await endsOf(office.log),
      createdAt: timeOf(office.clock),
      deletedAt: null,
    }
    await recordWebhooks(office.log, [endpoint])
    return await shown(office, await requireKept(office, endpoint, asked))
  })
}

/**
 * Makes a new secret; those before it also sign for a day. Repeated within a day by the same
 * operator, under its Idempotency-Key or with the number of the secret that it replaces, it shows the
 * same secret again.
 *
 * @throws RefusalError NOT_FOUND, VALIDATION_FAILED (of the configuration, of another number, too
 *   many secrets), WEBHOOKS_NOT_CONFIGURED, IDEMPOTENCY_KEY_REUSED
 */
export function rotateWebhook(
  office: WebhookOffice,
  name: string,
  { secretVersion }: NonNullable<RotateWebhook> = {},
  asker: Asker = NOBODY,
): Promise<WebhookWithSecret> {
  return oneAtATime(office.log, async () => {
    const webhook = await ownWebhook(office, name)
    const key = newestKey(office)
    const asked = askedOf(asker, `rotate ${name}`, secretVersion ?? null)
    const recent = madeWithinADay(office, webhook)
    const repeated = asker.key === null ? undefined : findRepeated(recent, asked)
    if (repeated) return await shown(office, webhook, repeated)
    const current = webhook.secrets[0]?.version ?? 0
    if (secretVersion !== undefined && current === secretVersion + 1) {
      const same = recent.find((one) => one.version === current && one.asked.what === asked.what)
      if (same) return await shown(office, webhook, same)
    }
    if (secretVersion !== undefined && current !== secretVersion) {
      const reason = `secretVersion: the current secret is number ${current}`
      throw new RefusalError('VALIDATION_FAILED', reason)
    }
    const made = { key: keyIdOf(key), version: current + 1, until: null, asked }
    const endpoint = recordOf({ ...webhook, secrets: [made, ...overlapping(office, webhook)] })
    const changed = await changeWebhook(office, endpoint)
    if (!changed) throw new RefusalError('NOT_FOUND', 'the webhook was deleted meanwhile')
    return await shown(office, changed)
  })
}

/** @throws RefusalError VALIDATION_FAILED: no such customer, or the tier allows no more */
function requireAllowed(
  { tierOf }: WebhookOffice,
  known: ReadonlyMap<string, Webhook>,
  customer: string,
): void {
  const tier = tierOf?.(customer) ?? null
  if (!tier)
    throw new RefusalError('VALIDATION_FAILED', 'customer: no key with a tier has this name')
  const own = [...known.values()].filter((one) => isThere(one) && one.customer === customer)
  if (own.length < tier.webhooks) return
  const reason = `customer: a key of tier ${tier.name} has ${tier.webhooks} webhooks at most`
  throw new RefusalError('VALIDATION_FAILED', reason)
}

/** A secret is made by a rotation, after which the one before it signs for a day: does it sign still? */
function madeWithinADay({ clock }: WebhookOffice, webhook: Webhook): DerivedSecret[] {
  const signing = new Set(validSecrets(webhook, clock.now()).map(({ version }) => version))
  return webhook.secrets.filter(({ version }) => signing.has(version - 1))
}

/** The secrets that still sign, each for a day from its own rotation. */
function overlapping({ clock }: WebhookOffice, webhook: Webhook): DerivedSecret[] {
  const until = new Date(clock.now() + DAY_MS).toISOString()
  const valid = validSecrets(webhook, clock.now())
  if (valid.length >= MAX_SECRETS) {
    const reason = `name: ${MAX_SECRETS} secrets sign already, each for a day from its rotation`
    throw new RefusalError('VALIDATION_FAILED', reason)
  }
  return valid.map((secret) => (secret.until === null ? { ...secret, until } : secret))
}

/** What an earlier request of the same operator made, if this is the same one again. */
function repeatedCreate(
  { clock }: WebhookOffice,
  known: ReadonlyMap<string, Webhook>,
  { name, asked, isKeyed }: { name: string; asked: Asked; isKeyed: boolean },
): { webhook: Webhook; secret: DerivedSecret } | null {
  const first = [...known.values()]
    .filter((one) => isThere(one) && clock.now() - Date.parse(one.createdAt) < DAY_MS)
    .flatMap((webhook) =>
      webhook.secrets.filter(({ version }) => version === 1).map((secret) => ({ webhook, secret })),
    )
  const secrets = first.map(({ secret }) => secret)
  const ofKey = isKeyed ? findRepeated(secrets, asked) : undefined
  const same = ofKey
    ? first.find(({ secret }) => secret === ofKey)
    : first.find(({ webhook, secret }) => webhook.name === name && isSame(webhook, secret, asked))
  return same ?? null
}

/** Was this asked for, and has no rotation replaced it? */
const isSame = ({ secrets }: Webhook, secret: DerivedSecret, { what }: Asked): boolean =>
  secrets[0] === secret && secret.asked.what === what

/**
 * The endpoint as it is now in the log, where another process may have created one of this name
 * first. The last record under a key is the one that a compaction keeps: it must be that one's.
 *
 * @throws RefusalError VALIDATION_FAILED: another one has the name, or the last place
 */
async function requireKept(
  { log, clock }: WebhookOffice,
  endpoint: WebhookEndpointRecord,
  { what }: Asked,
): Promise<Webhook> {
  const known = await readWebhooks(log)
  const kept = known.get(endpoint.name)
  if (kept?.secrets[0]?.asked.what !== what) {
    if (kept) await recordWebhooks(log, [recordOf(kept)])
    throw taken()
  }
  if (countOf(known) <= MAX_WEBHOOKS) return kept
  await recordWebhooks(log, [recordOf({ ...kept, deletedAt: timeOf(clock) })])
  throw tooMany()
}

const countOf = (known: ReadonlyMap<string, Webhook>): number =>
  [...known.values()].filter(isThere).length

const taken = () => new RefusalError('VALIDATION_FAILED', 'name: is taken')
const tooMany = () =>
  new RefusalError('VALIDATION_FAILED', `there are ${MAX_WEBHOOKS} webhooks already`)

function newestKey({ keys }: WebhookOffice): Uint8Array {
  const [key] = keys
  if (key) return key
  throw new RefusalError('WEBHOOKS_NOT_CONFIGURED', 'secrets are made of WEBHOOK_KEY: set it')
}

/** The endpoint as it is now, with one of its secrets and its number: by default the current one. */
async function shown(
  office: WebhookOffice,
  webhook: Webhook,
  secret = webhook.secrets[0],
): Promise<WebhookWithSecret> {
  const key = office.keys.find((one) => keyIdOf(one) === secret?.key)
  if (!key || !secret) {
    const reason = 'the secret was made of a WEBHOOK_KEY that this process does not have'
    throw new RefusalError('WEBHOOKS_NOT_CONFIGURED', reason)
  }
  const view = await viewOf(office, webhook)
  const { version } = secret
  return { ...view, secretVersion: version, secret: deriveSecret(key, { ...webhook, version }) }
}

/**
 * Why every delivery to the URL would fail now: an address of its name may not be reached. Null also
 * if the name has none yet, or is not known here: deliveries look it up where they are made.
 */
async function problemOfName(
  { lookUp, loopback }: Pick<WebhookOffice, 'lookUp' | 'loopback'>,
  url: string,
): Promise<string | null> {
  const host = hostOf(new URL(url))
  if (isIP(host) !== 0) return null
  const addresses = await lookUp(host)
  const isReached = addresses.every((address) => mayReach(address, loopback))
  return isReached ? null : 'its name leads to an address that is not public'
}
