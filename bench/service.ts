import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { NewRecord } from '../src/ports/event-log.ts'
import type { NodeChange } from '../src/ports/full-node.ts'
import { type Running, runAll } from '../src/roles/all.ts'
import { Config } from '../src/schemas/config.ts'
import { remoteAuthorities } from './remote-authorities.ts'
import { type Channel, openWire } from './wire.ts'

// The whole service in a process of its own, its node and index in the one that started it: what is
// measured here is the service and nothing else. Argument: its variables as JSON.

export interface Vitals {
  rssMb: number
  /** Of the event loop since the last reading, milliseconds. */
  delayP99Ms: number
  delayMaxMs: number
  /** Milliseconds of processor time since the last reading. */
  cpuMs: number
}

/** Fine enough to see 50 ms, and itself in every figure. */
const RESOLUTION_MS = 5

let running: Running | null = null
let push: (change: NodeChange | 'ended') => void = () => {}
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
let cpu = process.cpuUsage()

function vitals(): Vitals {
  const { user, system } = process.cpuUsage(cpu)
  const ms = (ns: number) => Math.max(0, ns / 1e6 - RESOLUTION_MS)
  const now: Vitals = {
    rssMb: Math.round(process.memoryUsage.rss() / 2 ** 20),
    delayP99Ms: ms(delay.percentile(99)),
    delayMaxMs: ms(delay.max),
    cpuMs: (user + system) / 1_000,
  }
  delay.reset()
  cpu = process.cpuUsage()
  return now
}

const call = openWire(process as Channel, {
  start: async () => {
    const { node, index, push: pushed } = remoteAuthorities(call)
    push = pushed
    running = await runAll(Config.parse(JSON.parse(process.argv[2] ?? '{}')), {
      authorities: { node, index, devnet: null },
    })
    delay.enable()
    vitals()
    return { address: running.address, metricsAddress: running.metricsAddress }
  },
  push: (change: NodeChange | 'ended') => push(change),
  append: (records: NewRecord[]) => running?.gateway.log.append(records),
  vitals,
  stop: async () => {
    await running?.close()
    setTimeout(() => process.disconnect(), 100)
  },
})
