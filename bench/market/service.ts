import type { NodeChange } from '../../src/ports/authorities/full-node.ts'
import type { NewRecord } from '../../src/ports/log/event-log.ts'
import { type Running, runAllInOne } from '../../src/roles/all-in-one.ts'
import { Config } from '../../src/schemas/config/config.ts'
import { type LoopDelay, watchLoopDelay } from '../harness/loop-delay.ts'
import { remoteAuthorities } from './remote-authorities.ts'
import { serveParent } from './wire.ts'

// The whole service in a process of its own, its node and index in the one that started it: only
// the service is measured here. Argument: its variables as JSON.

export interface Vitals {
  rssMb: number
  heapMb: number
  /** Since the last reading. */
  delay: LoopDelay
  /** Milliseconds of processor time since the last reading. */
  cpuMs: number
}

let running: Running | null = null
let push: (change: NodeChange | 'ended') => void = () => {}
const delay = watchLoopDelay()
let cpu = process.cpuUsage()

function vitals(): Vitals {
  const { user, system } = process.cpuUsage(cpu)
  cpu = process.cpuUsage()
  return {
    rssMb: Math.round(process.memoryUsage.rss() / 2 ** 20),
    heapMb: process.memoryUsage().heapUsed / 2 ** 20,
    delay: delay.read(),
    cpuMs: (user + system) / 1_000,
  }
}

const call = serveParent({
  start: async () => {
    const { node, index, push: pushed } = remoteAuthorities(call)
    push = pushed
    running = await runAllInOne(Config.parse(JSON.parse(process.argv[2] ?? '{}')), {
      authorities: { node, index, blocks: null, devnet: null },
    })
    vitals()
    const { address, metricsAddress, gateway } = running
    return { address, metricsAddress, partitions: gateway.log.partitions }
  },
  push: (change: NodeChange | 'ended') => push(change),
  append: (records: NewRecord[]) => running?.gateway.log.append(records),
  vitals,
  stop: async () => {
    await running?.close()
    setTimeout(() => process.disconnect(), 100)
  },
})
