import { setTimeout as delay } from 'node:timers/promises'
import { test } from 'vitest'
import { FLEET_MS, fleetsOnBroker, LOADED_MS, RUN_MS } from '../support/faults/fleets-on-broker.ts'
import { KILLS } from '../support/faults/kills.ts'

/** A release needs 50. */
const REBALANCES = Number(process.env['REBALANCES'] ?? 6)
/** What a worker has sent before it is frozen has arrived by then: it is no step of another one. */
const IN_FLIGHT_MS = 500
/** How long it stays frozen after the other one has its partitions. */
const FROZEN_ON_MS = 1_000

const { survives, restart } = fleetsOnBroker()

test(
  'SIGSTOP beyond the session, then SIGCONT: the zombie writes nothing',
  async () => {
    await survives(
      'SIGSTOP of a worker beyond its session, then SIGCONT',
      async (fleet, workers) => {
        const recoveries: number[] = []
        for (let run = 0; run < KILLS; run += 1) {
          const frozen = workers[run % 2] ?? workers[0]
          const begun = performance.now()
          fleet.signal(frozen, 'SIGSTOP')
          await delay(IN_FLIGHT_MS)
          await fleet.recovery()
          recoveries.push(performance.now() - begun)
          await delay(FROZEN_ON_MS)
          fleet.signal(frozen, 'SIGCONT')
          await delay(LOADED_MS)
          await fleet.recovery()
        }
        return recoveries
      },
      KILLS,
    )
  },
  FLEET_MS + KILLS * RUN_MS,
)

test(
  'workers come and go under load',
  async () => {
    await survives(
      'rebalance under load',
      async (fleet) => {
        const recoveries: number[] = []
        for (let run = 0; run < REBALANCES; run += 2) {
          const third = await fleet.worker()
          recoveries.push(await fleet.recovery())
          fleet.signal(third, 'SIGTERM')
          await fleet.ended(third)
          recoveries.push(await fleet.recovery())
        }
        return recoveries
      },
      REBALANCES,
    )
  },
  FLEET_MS + REBALANCES * RUN_MS,
)

test('the broker restarts under load', async () => {
  await survives(
    'restart of the broker',
    async (fleet) => {
      await restart()
      return [await fleet.recovery()]
    },
    1,
  )
})
