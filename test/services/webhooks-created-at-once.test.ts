import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { LmdbStore } from '../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { EmbeddedWebhookProgress } from '../../src/adapters/embedded/stores/webhook-progress.ts'
import type { KafkaLog } from '../../src/adapters/kafka/log.ts'
import { createWebhook, rotateWebhook } from '../../src/gateway/webhooks/hand-out-secrets.ts'
import {
  deleteWebhook,
  listWebhooks,
  type WebhookOffice,
} from '../../src/gateway/webhooks/manage-webhooks.ts'
import { gatewaySettings } from '../../src/roles/parts/gateway.ts'
import { Config } from '../../src/schemas/config/config.ts'
import { TOPICS } from '../../src/schemas/log.ts'
import { CreateWebhook, type WebhookWithSecret } from '../../src/schemas/webhooks/webhook-api.ts'
import { MAX_WEBHOOKS, WebhookRecord } from '../../src/schemas/webhooks/webhook-records.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { type OpenedKafkaLog, openKafkaLog } from '../support/log/kafka-log.ts'
import { KafkaServer } from '../support/services/kafka.ts'
import { systemClock as clock } from '../support/system-clock.ts'

// security-2 L3: gateways that share nothing but the log create and change webhooks at the same time.

const directory = temporaryDirectory()
let kafka: KafkaServer
let store: LmdbStore
let opened: OpenedKafkaLog
let gateways: WebhookOffice[]

beforeAll(async () => {
  kafka = await KafkaServer.start()
  store = await LmdbStore.open(directory.path)
})
afterAll(async () => {
  await store?.close()
  await kafka?.stop()
  directory.drop()
})
beforeEach(async () => {
  opened = await openKafkaLog(kafka, { partitions: 1 })
  gateways = [opened.log, await opened.another(), await opened.another()].map(officeOn)
  return () => opened.close()
})

const officeOn = (log: KafkaLog): WebhookOffice => ({
  log,
  clock,
  progress: new EmbeddedWebhookProgress(store),
  settings: gatewaySettings(Config.parse({})),
  keys: [new Uint8Array(32).fill(9)],
  loopback: true,
  lookUp: async () => [],
})
const asked = (name: string, path = '') =>
  CreateWebhook.parse({ name, url: `http://127.0.0.1:8443/${path}` })
const first = (): WebhookOffice => gateways[0] ?? expect.fail()

/** What was answered, in all gateways at once. */
async function atOnce(
  create: (office: WebhookOffice, n: number) => Promise<WebhookWithSecret>,
): Promise<WebhookWithSecret[]> {
  const answers = await Promise.allSettled(gateways.map(create))
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
}

test('one name is one webhook, whose record is the last under its key', async () => {
  const [winner, ...others] = await atOnce((office, n) =>
    createWebhook(office, asked('shop', `${n}`)),
  )
  expect(others).toEqual([])
  const { webhooks } = await listWebhooks(first())
  expect(webhooks.map(({ url }) => url)).toEqual([winner?.url])
  expect(await lastRecord()).toMatchObject({ kind: 'endpoint', url: winner?.url })
})

test('the same request of one operator is answered with one secret', async () => {
  const asker = { operator: 'mia', key: 'once' }
  const answers = await atOnce((office) => createWebhook(office, asked('shop'), asker))
  expect(answers).toHaveLength(gateways.length)
  expect(new Set(answers.map(({ secret }) => secret)).size).toBe(1)
})

test('the bound is kept', async () => {
  for (let n = 1; n < MAX_WEBHOOKS; n += 1) await createWebhook(first(), asked(`shop-${n}`))
  const answers = await atOnce((office, n) => createWebhook(office, asked(`more-${n}`)))
  const { webhooks } = await listWebhooks(first())
  expect(webhooks.length).toBe(MAX_WEBHOOKS - 1 + answers.length)
  expect(webhooks.length).toBeLessThanOrEqual(MAX_WEBHOOKS)
})

/** A gateway that another one overtakes: that acts after it has read the log, and before it writes. */
function overtakenBy(act: () => Promise<unknown>): WebhookOffice {
  const { log, ...office } = gateways[1] ?? expect.fail()
  let isOvertaken = false
  return {
    ...office,
    log: {
      partitions: log.partitions,
      stored: log.stored.bind(log),
      end: log.end.bind(log),
      append: async (records) => {
        const isFirst = !isOvertaken
        isOvertaken = true
        if (isFirst) await act()
        await log.append(records)
      },
    },
  }
}

/** The last record under the key of the endpoint, which a compaction keeps. */
async function lastRecord(): Promise<unknown> {
  const records: WebhookRecord[] = []
  for await (const batch of opened.log.stored(TOPICS.webhooks, 0, 0))
    records.push(...batch.map(({ value }) => WebhookRecord.parse(value)))
  return records.at(-1)
}

test('a rotation does not bring back what was deleted meanwhile', async () => {
  await createWebhook(first(), asked('shop'))
  const late = overtakenBy(() => deleteWebhook(first(), 'shop'))
  await expect(rotateWebhook(late, 'shop')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect((await listWebhooks(first())).webhooks).toEqual([])
  expect(await lastRecord()).toMatchObject({ generation: 1, deletedAt: expect.any(String) })
})

test.each([
  ['rotation', (late: WebhookOffice) => rotateWebhook(late, 'shop').catch(() => undefined)],
  ['deletion', (late: WebhookOffice) => deleteWebhook(late, 'shop')],
])('a %s leaves what was created under the name meanwhile', async (_act, act) => {
  await createWebhook(first(), asked('shop'))
  const late = overtakenBy(async () => {
    await deleteWebhook(first(), 'shop')
    await createWebhook(first(), asked('shop', 'other'))
  })
  await act(late)
  const { webhooks } = await listWebhooks(first())
  expect(webhooks).toMatchObject([{ url: asked('shop', 'other').url, secretVersion: 1 }])
  expect(await lastRecord()).toMatchObject({ generation: 2, deletedAt: null })
})
