import { Counter, Gauge } from 'prom-client'
import type { DeliveryEvent } from '../../gateway/webhooks/partition-delivery.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Metrics } from './metrics.ts'

export interface WebhookFigures {
  count(webhook: string, partition: number, event: DeliveryEvent | { did: 'gone' | 'end' }): void
}

/** Figures of each webhook in this process; there are at most 32 names at a time. */
export function webhookMetrics(
  { registry }: Pick<Metrics, 'registry'>,
  clock: Pick<Clock, 'now'>,
): WebhookFigures {
  const registers = [registry]
  const labelNames = ['webhook'] as const
  const counter = (name: string, help: string) => new Counter({ name, help, labelNames, registers })
  const delivered = counter('market_webhooks_delivered_total', 'Changes delivered.')
  const failed = counter('market_webhooks_failed_total', 'Deliveries that failed.')
  const dead = counter('market_webhooks_dead_total', 'Changes that became dead letters.')
  const deliveries = new Map<string, Map<number, DeliveryFigures>>()
  const watch = (name: string, help: string, read: (own: readonly DeliveryFigures[]) => number) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers,
      collect() {
        this.reset()
        for (const [webhook, own] of deliveries) this.set({ webhook }, read([...own.values()]))
      },
    })
  watch(
    'market_webhooks_failing_seconds',
    'Seconds for which nothing was delivered from the worst partition of this process.',
    (own) => {
      const since = Math.min(...own.map(({ failingSince }) => failingSince ?? Infinity))
      return Math.max(0, (clock.now() - since) / 1_000)
    },
  )
  watch(
    'market_webhooks_dead_letters',
    'Dead letters that can be retried, in the partitions of this process.',
    (own) => own.reduce((sum, { dead: letters }) => sum + letters, 0),
  )
  watch(
    'market_webhooks_lag_records',
    'Records of the log not yet read for a webhook, in the partitions of this process.',
    (own) => own.reduce((sum, { lag }) => sum + lag, 0),
  )
  const figuresOf = (webhook: string, partition: number): DeliveryFigures => {
    const own = deliveries.get(webhook) ?? new Map<number, DeliveryFigures>()
    deliveries.set(webhook, own)
    const figures = own.get(partition) ?? { dead: 0, lag: 0, failingSince: null }
    own.set(partition, figures)
    return figures
  }
  return {
    count(webhook, partition, event) {
      if (event.did === 'end') {
        deliveries.get(webhook)?.delete(partition)
        if (deliveries.get(webhook)?.size === 0) deliveries.delete(webhook)
        return
      }
      if (event.did === 'reach') {
        const { dead: letters, lag, failingSince } = event
        Object.assign(figuresOf(webhook, partition), { dead: letters, lag, failingSince })
      }
      if (event.did === 'deliver' || event.did === 'recover') delivered.inc({ webhook })
      if (event.did === 'fail' || event.did === 'die') failed.inc({ webhook })
      if (event.did === 'die') dead.inc({ webhook })
    },
  }
}

interface DeliveryFigures {
  dead: number
  lag: number
  /** Unix milliseconds. */
  failingSince: number | null
}
