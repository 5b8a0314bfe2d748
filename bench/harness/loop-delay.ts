import { readFileSync } from 'node:fs'
import { quantile } from './table.ts'

const EVERY_MS = 5

export interface LoopDelay {
  p99Ms: number
  maxMs: number
}

/**
 * How late the event loop was for a timer, less the time that its thread was ready while another
 * program had the core: what is left is the service's own work, even on a shared machine.
 */
export function watchLoopDelay() {
  let delays: number[] = []
  let last = { at: performance.now(), waited: waitedMs() }
  setInterval(() => {
    const now = { at: performance.now(), waited: waitedMs() }
    delays.push(now.at - last.at - EVERY_MS - (now.waited - last.waited))
    last = now
  }, EVERY_MS).unref()
  return {
    /** Since the last reading. */
    read: (): LoopDelay => {
      const read = delays.length > 0 ? delays : [0]
      delays = []
      last = { at: performance.now(), waited: waitedMs() }
      const maxMs = read.reduce((most, delay) => Math.max(most, delay), 0)
      return { p99Ms: Math.max(0, quantile(read, 0.99)), maxMs }
    },
  }
}

/** Time that the main thread waited for a core, by Linux's scheduler; elsewhere unknown. */
function waitedMs(): number {
  try {
    const [, waitedNs] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')
    return Number(waitedNs) / 1e6
  } catch {
    return 0
  }
}
