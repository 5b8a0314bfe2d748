import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CrashPoint } from '../../src/ports/log/crash-points.ts'
import { type Faulted, faultTable } from '../support/faults/fault-table.ts'
import { KafkaFleet } from '../support/log/kafka-fleet.ts'
import { dice } from '../support/orders/order-book.ts'
import { KafkaServer } from '../support/services/kafka.ts'

/** Runs of each fault; a release needs 20 kills at each point and 50 rebalances. */
const RUNS = Number(process.env['KILLS'] ?? 3)
const REBALANCES = Number(process.env['REBALANCES'] ?? 6)
const STEPS = ['consume', 'compute', 'append', 'offset'] as const
const POINTS = STEPS.flatMap((step): CrashPoint[] => [`before ${step}`, `after ${step}`])
/** Longer than the session of a worker: the others have its partitions when it wakes. */
const FROZEN_MS = 9_000
/** On the broker's stock settings: a session of 6 s, and what follows. */
const RECOVERED_WITHIN_MS = 10_000
const LOADED_MS = 1_500
/** For the fleet to start, stop and be counted; and for each run. */
const FLEET_MS = 240_000
const RUN_MS = 60_000

const rows: Faulted[] = []
let server: KafkaServer
beforeAll(async () => {
  server = await KafkaServer.start({})
})
afterAll(async () => {
  process.stdout.write(`\n${faultTable(rows)}\n`)
  await server.stop()
})

/** Two workers under load; at the end everything that was sent is there once, in order. */
async function survives(
  fault: string,
  play: (fleet: KafkaFleet, workers: [string, string]) => Promise<number[]>,
  runs: number,
): Promise<void> {
  const fleet = await KafkaFleet.open(server)
  try {
    const workers: [string, string] = [await fleet.worker(), await fleet.worker()]
    await fleet.recovery()
    fleet.load()
    await delay(LOADED_MS)
    const recoveriesMs = await play(fleet, workers)
    await delay(LOADED_MS)
    await fleet.rest()
    const { commands, changes, lost, duplicated, outOfOrder } = await fleet.count()
    rows.push({ fault, runs, transitions: changes, lost, duplicated, outOfOrder, recoveriesMs })
    expect({ lost, duplicated, outOfOrder }).toEqual({ lost: 0, duplicated: 0, outOfOrder: 0 })
    expect(changes).toBe(commands)
  } finally {
    await fleet.end()
  }
}

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

test(
  'SIGSTOP beyond the session, then SIGCONT: the zombie writes nothing',
  async () => {
    await survives(
      'SIGSTOP of a worker for 9 s',
      async (fleet, workers) => {
        const recoveries: number[] = []
        for (let run = 0; run < RUNS; run += 1) {
          const frozen = workers[run % 2] ?? workers[0]
          fleet.signal(frozen, 'SIGSTOP')
          await delay(FROZEN_MS)
          recoveries.push(await fleet.recovery())
          fleet.signal(frozen, 'SIGCONT')
          await delay(LOADED_MS)
          await fleet.recovery()
        }
        return recoveries
      },
      RUNS,
    )
  },
  FLEET_MS + RUNS * RUN_MS,
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
      await server.restart()
      return [await fleet.recovery()]
    },
    1,
  )
})
