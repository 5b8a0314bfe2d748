import type { Observable } from 'rxjs'
import { openHttpWebhooks } from '../../adapters/webhooks/http-transport.ts'
import { problemOfUrl } from '../../domain/webhooks/webhook-url.ts'
import { recordConfigured } from '../../gateway/webhooks/configured-webhooks.ts'
import type { DeliveredChange, DeliveryEvent } from '../../gateway/webhooks/partition-delivery.ts'
import { SecretUnknownError, sendWebhooks } from '../../gateway/webhooks/send-webhooks.ts'
import { OperatorError } from '../../ports/base-errors.ts'
import { followChanges } from '../../streams/activity/follow-changes.ts'
import type { RecentChanges } from '../../streams/activity/recent-changes.ts'
import type { RuntimeContext } from '../context/runtime-context.ts'
import { supervise } from '../context/supervise.ts'
import { webhookKeys } from '../keys/cursor-keys.ts'
import { webhookMetrics } from '../observe/webhook-metrics.ts'
import type { OpenedLog } from '../open/open-log.ts'
import type { ReadModels } from '../open/open-read-models.ts'
import { gatewaySettings } from './gateway.ts'

export interface WebhookParts
  extends Pick<OpenedLog, 'log' | 'shares'>,
    Pick<ReadModels, 'views' | 'webhookProgress'> {
  /** Shared with the gateway of this process. */
  changes?: Observable<RecentChanges>
}

/** A webhook of WEBHOOK_ENDPOINTS can never be sent. */
export class WebhookRefusedError extends OperatorError {
  override name = 'WebhookRefusedError'
}

/**
 * Sends webhooks until the closer ends.
 *
 * @throws WebhookRefusedError
 */
export function runWebhooks(
  context: RuntimeContext,
  { log, shares, views, webhookProgress: progress, changes }: WebhookParts,
): void {
  const { config, clock, metrics, closer, report } = context
  const { WEBHOOK_ENDPOINTS: configured = [], WEBHOOK_LOOPBACK: loopback } = config
  for (const { name, url } of configured) {
    const problem = problemOfUrl(url, loopback)
    if (problem) throw new WebhookRefusedError(`WEBHOOK_ENDPOINTS: the url of ${name} ${problem}`)
  }
  const transport = openHttpWebhooks({ clock, loopback })
  closer.add(() => transport.close())
  const figures = webhookMetrics(metrics, clock)
  const sending = {
    gateway: { views, clock, settings: gatewaySettings(config) },
    ...{ log, shares, progress, transport },
    changes:
      changes ??
      followChanges({
        log,
        clock,
        onFailure: (error) => report('changes', error, 'changes_unreadable'),
      }),
    secrets: {
      keys: webhookKeys(config),
      configured: new Map(configured.map(({ name, secrets }) => [name, secrets])),
    },
    random: Math.random,
    onEvent: (webhook: string, partition: number, event: DeliveryEvent | OtherEvent) => {
      figures.count(webhook, partition, event)
      tell(context, webhook, event)
    },
    onFault: (webhook: string, error: unknown) => {
      const isUnknown = error instanceof SecretUnknownError
      const message = isUnknown ? 'webhook_secret_unknown' : 'webhook_lane_failed'
      report('webhooks', error, message, { webhook })
    },
  }
  supervise('webhooks', context, async (signal) => {
    await recordConfigured({ log, clock }, configured)
    await sendWebhooks(sending, signal)
  })
}

type OtherEvent = { did: 'gone' | 'end' }

/**
 * One line for each failure and its end; none for a success. The URL may be secret, so it is left
 * out.
 */
function tell(
  { logger }: RuntimeContext,
  webhook: string,
  event: DeliveryEvent | OtherEvent,
): void {
  switch (event.did) {
    case 'fail':
    case 'die': {
      const { change, reason, attempts, retryAt } = event
      const line = { webhook, ...placeOf(change), reason, attempts, retryAt }
      if (event.did === 'fail') logger.warn(line, 'webhook_failed')
      else logger.error(line, 'webhook_dead')
      break
    }
    case 'recover':
      logger.info({ webhook, ...placeOf(event.change) }, 'webhook_recovered')
      break
    case 'gone':
      logger.warn({ webhook }, 'webhook_gone')
      break
  }
}

const placeOf = ({ orderId, seq, partition }: DeliveredChange) => ({
  orderId,
  seq,
  partition,
})
