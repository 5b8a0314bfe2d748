import { LmdbStore } from '../../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { allPartitions, EmbeddedLog } from '../../../src/adapters/embedded/log/log.ts'
import { EmbeddedWebhookProgress } from '../../../src/adapters/embedded/stores/webhook-progress.ts'
import { EmbeddedViews } from '../../../src/adapters/embedded/views/views.ts'
import { openHttpWebhooks } from '../../../src/adapters/webhooks/http-transport.ts'
import type { WebhookOffice } from '../../../src/gateway/webhooks/manage-webhooks.ts'
import { sendWebhooks, type WebhookSending } from '../../../src/gateway/webhooks/send-webhooks.ts'
import type { NameLookup } from '../../../src/ports/webhooks/webhook-transport.ts'
import { gatewaySettings } from '../../../src/roles/parts/gateway.ts'
import type { Clock } from '../../../src/runtime/clock.ts'
import { Config } from '../../../src/schemas/config/config.ts'
import { followChanges } from '../../../src/streams/activity/follow-changes.ts'
import { temporaryDirectory } from '../embedded.ts'
import { LiveLifecycle } from '../log/live-lifecycle.ts'
import { systemClock } from '../system-clock.ts'

const KEY = new Uint8Array(32).fill(9)
const SETTINGS = gatewaySettings(Config.parse({}))

export interface WebhookBench {
  log: EmbeddedLog
  lifecycle: LiveLifecycle
  office: WebhookOffice
  /** What went wrong and was recovered from. */
  faults: unknown[]
  events: { webhook: string; did: string }[]
  /** A sender of its own, as in another process; ends on request. */
  send(given?: Partial<WebhookSending>): { stop(): Promise<void> }
  close(): Promise<void>
}

/** Log, views and progress in a folder; the test plays the actors, and starts senders. */
export async function openWebhookBench({
  clock = systemClock,
  partitions = 2,
  path,
}: {
  clock?: Clock
  partitions?: number
  path?: string
} = {}): Promise<WebhookBench> {
  const own = path === undefined ? temporaryDirectory() : { path, drop: () => {} }
  const store = await LmdbStore.open(own.path)
  const log = await EmbeddedLog.open({ store, partitions, clock: systemClock })
  const views = await EmbeddedViews.open({ store, network: 'regtest', clock: systemClock })
  const progress = new EmbeddedWebhookProgress(store)
  const lifecycle = new LiveLifecycle(log, views)
  const transport = openHttpWebhooks({ clock: systemClock, loopback: true })
  const faults: unknown[] = []
  const events: { webhook: string; did: string }[] = []
  const lookUp: NameLookup = async () => []
  const office = { log, progress, clock, settings: SETTINGS, keys: [KEY], loopback: true, lookUp }
  const running = new Set<{ stop(): Promise<void> }>()
  return {
    ...{ log, lifecycle, office, faults, events },
    send(given = {}) {
      const stop = new AbortController()
      const sending: WebhookSending = {
        gateway: { views, clock, settings: SETTINGS },
        changes: followChanges({ log, clock, onFailure: (error) => faults.push(error) }),
        shares: allPartitions(log.partitions),
        ...{ log, progress, transport, random: Math.random },
        secrets: { keys: [KEY], configured: new Map() },
        onEvent: (webhook, _partition, { did }) => void events.push({ webhook, did }),
        onFault: (_webhook, fault) => void faults.push(fault),
        ...given,
      }
      const done = sendWebhooks(sending, stop.signal)
      const one = {
        stop: async () => {
          running.delete(one)
          stop.abort()
          await done
        },
      }
      running.add(one)
      return one
    },
    async close() {
      for (const one of [...running]) await one.stop()
      await lifecycle.close()
      await transport.close()
      await store.close()
      own.drop()
    },
  }
}

/** Time that runs this many times faster. */
export function fasterClock(times: number): Clock {
  const begun = systemClock.now()
  const since = systemClock.monotonic()
  const passed = () => (systemClock.monotonic() - since) * times
  return {
    now: () => begun + Math.floor(passed()),
    monotonic: passed,
    sleep: (ms, signal) => systemClock.sleep(ms / times, signal),
    turn: () => systemClock.turn(),
  }
}
