import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import type { OrderState } from '../../src/schemas/scalars.ts'
import { WebhookEvent } from '../../src/schemas/webhooks/webhook-api.ts'
import { type Stage, UnexpectedError } from '../stage/stage.ts'
import type { World } from '../stage/world.ts'

const POLL_MS = 50
const MAX_POLLS = 600

/** A server that keeps no connection open was sent each change of an order's state: exactly these. */
export async function receiveWebhooks(
  stage: Stage,
  world: World,
  orderId: string,
  states: readonly OrderState[],
): Promise<void> {
  stage.step("Erin's server keeps no connection: each change was posted to it, signed, in order.")
  const wanted = states.map((state, at) => [`${at}.data.entry.toState`, state])
  await stage.pushed('webhooks', arrived(world, orderId, states.length), {
    shape: z.array(WebhookEvent).length(states.length),
    is: Object.fromEntries(wanted),
    shows: (events) => [
      ['webhook-signature', 'each is right, by the library of Standard Webhooks'],
      ...events.map(({ data }) => ['data.entry.toState', data.entry?.toState ?? ''] as const),
    ],
  })
}

/** A change that leaves the state as it is has no entry. */
async function arrived(world: World, orderId: string, count: number): Promise<WebhookEvent[]> {
  for (let poll = 0; poll < MAX_POLLS; poll += 1) {
    const events = world.webhooks().filter(({ data }) => data.orderId === orderId && data.entry)
    if (events.length >= count) return events
    await delay(POLL_MS)
  }
  throw new UnexpectedError(`fewer than ${count} webhooks came`)
}
