import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createWebhook, rotateWebhook } from '../../../src/gateway/webhooks/hand-out-secrets.ts'
import { deleteWebhook, listWebhooks } from '../../../src/gateway/webhooks/manage-webhooks.ts'
import { TOPICS } from '../../../src/schemas/log.ts'
import { CreateWebhook } from '../../../src/schemas/webhooks/webhook-api.ts'
import { movedClock } from '../../support/moved-clock.ts'
import { openWebhookBench, type WebhookBench } from '../../support/webhooks/webhook-bench.ts'

const DAY_MS = 24 * 3_600_000
const clock = movedClock()
let bench: WebhookBench
beforeEach(async () => {
  bench = await openWebhookBench({ clock })
})
afterEach(() => bench.close())

const asked = (name: string) => CreateWebhook.parse({ name, url: 'http://127.0.0.1:8443/' })

test('a repeat of another operator, after a day, or after a deletion is another request', async () => {
  const mia = { operator: 'mia', key: null }
  const { secret } = await createWebhook(bench.office, asked('shop'), mia)
  const refused = { code: 'VALIDATION_FAILED', message: 'name: is taken' }
  const bob = { operator: 'bob', key: null }
  await expect(createWebhook(bench.office, asked('shop'), bob)).rejects.toMatchObject(refused)
  expect((await createWebhook(bench.office, asked('shop'), mia)).secret).toBe(secret)
  clock.move(DAY_MS)
  await expect(createWebhook(bench.office, asked('shop'), mia)).rejects.toMatchObject(refused)
  await deleteWebhook(bench.office, 'shop')
  expect((await createWebhook(bench.office, asked('shop'), mia)).secret).not.toBe(secret)
})

describe('a repeated rotation', () => {
  const mia = { operator: 'mia', key: null }
  const keyed = { operator: 'mia', key: 'once' }
  beforeEach(() => createWebhook(bench.office, asked('shop'), mia))

  test('under its Idempotency-Key shows the same secret with its number for a day, and is another after it', async () => {
    const first = await rotateWebhook(bench.office, 'shop', {}, keyed)
    expect(first.secretVersion).toBe(2)
    clock.move(DAY_MS / 2)
    const second = await rotateWebhook(bench.office, 'shop', {}, mia)
    clock.move(DAY_MS / 2 - 60_000)
    const repeated = await rotateWebhook(bench.office, 'shop', {}, keyed)
    expect([repeated.secret, repeated.secretVersion]).toEqual([first.secret, 2])
    clock.move(60_000)
    const again = await rotateWebhook(bench.office, 'shop', {}, keyed)
    expect([first.secret, second.secret]).not.toContain(again.secret)
    expect(again.secretVersion).toBe(4)
  })

  test('of the secret that was current shows that for a day', async () => {
    const first = await rotateWebhook(bench.office, 'shop', {}, keyed)
    clock.move(DAY_MS)
    // Nothing signs with the one before it any more.
    const again = await rotateWebhook(bench.office, 'shop', {}, keyed)
    expect(again.secret).not.toBe(first.secret)
    expect(again.secretVersion).toBe(3)
  })

  test('of a number shows the same secret to the same operator for a day', async () => {
    const replaces = { secretVersion: 1 }
    const first = await rotateWebhook(bench.office, 'shop', replaces, mia)
    const repeat = () => rotateWebhook(bench.office, 'shop', replaces, mia)
    expect(await repeat()).toMatchObject({ secret: first.secret, secretVersion: 2 })
    const refused = {
      code: 'VALIDATION_FAILED',
      message: 'secretVersion: the current secret is number 2',
    }
    const bob = { operator: 'bob', key: null }
    await expect(rotateWebhook(bench.office, 'shop', replaces, bob)).rejects.toMatchObject(refused)
    clock.move(DAY_MS)
    await expect(repeat()).rejects.toMatchObject(refused)
  })
})

describe('a name that leads to', () => {
  const named = (name: string) => CreateWebhook.parse({ name, url: 'https://hooks.example/' })
  const leadingTo = (...addresses: string[]) => ({
    ...bench.office,
    loopback: false,
    lookUp: async (name: string) => (name === 'hooks.example' ? addresses : []),
  })

  test.each([
    ['this machine', '127.0.0.1'],
    ['a private network', '10.0.0.1'],
    ['the metadata of a cloud', '169.254.169.254'],
    ['IPv4-mapped IPv6', '::ffff:10.0.0.1'],
    ['a link', 'fe80::1%eth0'],
  ])('%s is refused, also beside a public address', async (_what, address) => {
    const message = 'url: its name leads to an address that is not public'
    for (const office of [leadingTo(address), leadingTo('93.184.216.34', address)]) {
      const creating = createWebhook(office, named('shop'))
      await expect(creating).rejects.toMatchObject({ code: 'VALIDATION_FAILED', message })
    }
    expect((await listWebhooks(bench.office)).webhooks).toEqual([])
  })

  test('public addresses, or to none yet, is taken', async () => {
    await createWebhook(leadingTo('93.184.216.34', '2606:4700::1111'), named('public'))
    await createWebhook(leadingTo(), named('none'))
    expect((await listWebhooks(bench.office)).webhooks).toHaveLength(2)
  })

  test('elsewhere since is no other request: the repeat shows the secret', async () => {
    const { secret } = await createWebhook(leadingTo('93.184.216.34'), named('shop'))
    const again = await createWebhook(leadingTo('10.0.0.1'), named('shop'))
    expect(again.secret).toBe(secret)
  })

  test('is not looked up where the URL has an address', async () => {
    const lookUp = () => expect.fail('looked up')
    await createWebhook({ ...bench.office, lookUp }, asked('shop'))
  })
})

test('neither an Idempotency-Key nor a secret is in the log', async () => {
  const asker = { operator: 'mia', key: 'the-key-of-mia' }
  const { secret } = await createWebhook(bench.office, asked('shop'), asker)
  const rotated = await rotateWebhook(bench.office, 'shop', {}, asker)
  const texts: string[] = []
  for await (const batch of bench.log.stored(TOPICS.webhooks, 0, 0))
    texts.push(JSON.stringify(batch))
  for (const text of [asker.key, secret, rotated.secret, secret.slice(6), rotated.secret.slice(6)])
    expect(texts.join()).not.toContain(text)
})
