import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect } from 'vitest'
import { KafkaFleet } from '../log/kafka-fleet.ts'
import { KafkaServer } from '../services/kafka.ts'
import { type Faulted, faultTable } from './fault-table.ts'

/** For the fleet to start, stop and be counted; and for each run. */
export const FLEET_MS = 240_000
export const RUN_MS = 60_000
export const LOADED_MS = 1_500

/** What a fault does to a fleet of two workers; resolves with the times of recovery. */
export type Play = (fleet: KafkaFleet, workers: [string, string]) => Promise<number[]>

/** A broker of this file, on which fleets survive faults; the table of these is printed at the end. */
export function fleetsOnBroker() {
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
  async function survives(fault: string, play: Play, runs: number): Promise<void> {
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
  return { survives, restart: () => server.restart() }
}
