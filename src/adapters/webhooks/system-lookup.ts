import { lookup } from 'node:dns/promises'
import type { NameLookup } from '../../ports/webhooks/webhook-transport.ts'
import type { Clock } from '../../runtime/clock.ts'
import { withTimeout } from '../../runtime/deadline.ts'

/** How long a look-up may take, milliseconds: an operator waits for its answer. */
const LONGEST_MS = 2_000

/**
 * Looks names up as deliveries do: by the system, which also reads its own files (`/etc/hosts`).
 */
export function systemLookup(
  clock: Pick<Clock, 'sleep'>,
  resolve: (name: string, options: { all: true }) => ReturnType<typeof lookupAll> = lookupAll,
): NameLookup {
  return async (name) => {
    const none = () => []
    const found = await withTimeout(clock, LONGEST_MS, resolve(name, { all: true }).catch(none))
    return found === 'late' ? [] : found.map(({ address }) => address)
  }
}

const lookupAll = (name: string, options: { all: true }) => lookup(name, options)
