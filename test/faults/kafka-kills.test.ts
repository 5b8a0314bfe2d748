import { expect, test } from 'vitest'
import type { CrashPoint } from '../../src/ports/log/crash-points.ts'
import { FLEET_MS, fleetsOnBroker, RUN_MS } from '../support/faults/fleets-on-broker.ts'
import { KILLS } from '../support/faults/kills.ts'
import { dice } from '../support/orders/order-book.ts'

const STEPS = ['consume', 'compute', 'append', 'offset'] as const
/** On the broker's stock settings: a session of 6 s, and what follows. */
const RECOVERED_WITHIN_MS = 10_000

const { survives } = fleetsOnBroker()

// Two fleets at once: a kill is waited for, most of the time.
test.concurrent.each(['before', 'after'] as const)(
  'SIGKILL %s each point of a step: the other worker continues, normally within 10 s',
  async (side) => {
    const roll = dice(side === 'before' ? 1 : 2)
    await survives(
      `SIGKILL of a worker ${side} each of ${STEPS.length} points`,
      async (fleet, [, second]) => {
        fleet.signal(second, 'SIGTERM')
        await fleet.ended(second)
        const recoveries: number[] = []
        for (let run = 0; run < KILLS; run += 1) {
          for (const step of STEPS) {
            const point: CrashPoint = `${side} ${step}`
            const killed = await fleet.worker({ point, passing: 1 + roll.below(20) })
            expect([point, await fleet.ended(killed)]).toEqual([point, 'SIGKILL'])
            recoveries.push(await fleet.recovery())
          }
        }
        // The median: other programs use the machine too.
        const median = recoveries.toSorted((a, b) => a - b)[recoveries.length >> 1]
        expect(median).toBeLessThan(RECOVERED_WITHIN_MS)
        return recoveries
      },
      KILLS * STEPS.length,
    )
  },
  FLEET_MS + KILLS * STEPS.length * RUN_MS,
)
