import { expect, test } from 'vitest'
import type { CrashPoint } from '../../src/ports/log/crash-points.ts'
import { FLEET_MS, fleetsOnBroker, RUN_MS } from '../support/faults/fleets-on-broker.ts'
import { dice } from '../support/orders/order-book.ts'

/** Runs of each point; a release needs 20. */
const RUNS = Number(process.env['KILLS'] ?? 3)
const STEPS = ['consume', 'compute', 'append', 'offset'] as const
const POINTS = STEPS.flatMap((step): CrashPoint[] => [`before ${step}`, `after ${step}`])
/** On the broker's stock settings: a session of 6 s, and what follows. */
const RECOVERED_WITHIN_MS = 10_000

const { survives } = fleetsOnBroker()

test(
  'SIGKILL at each point of a step: the other worker continues, normally within 10 s',
  async () => {
    const roll = dice(1)
    await survives(
      'SIGKILL of a worker at 8 points',
      async (fleet, [, second]) => {
        fleet.signal(second, 'SIGTERM')
        await fleet.ended(second)
        const recoveries: number[] = []
        for (let run = 0; run < RUNS; run += 1) {
          for (const point of POINTS) {
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
      RUNS * POINTS.length,
    )
  },
  FLEET_MS + RUNS * POINTS.length * RUN_MS,
)
