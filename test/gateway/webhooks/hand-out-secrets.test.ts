import { afterEach, beforeEach, expect, test } from 'vitest'
import { createWebhook, rotateWebhook } from '../../../src/gateway/webhooks/hand-out-secrets.ts'
import { deleteWebhook } from '../../../src/gateway/webhooks/manage-webhooks.ts'
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
