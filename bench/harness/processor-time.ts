import { readdirSync, readFileSync } from 'node:fs'

/** Linux counts processor time of a process in these, whatever its clock is. */
const US_PER_TICK = 10_000

/**
 * Of a process with all its threads so far, microseconds; null where the system does not report it.
 */
export function processorUsOf(pid: number): number | null {
  let stat: string
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    return null
  }
  // The name of the program, in parentheses, may contain spaces.
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
  return (Number(user) + Number(system)) * US_PER_TICK
}

/**
 * Of a process, its threads and its children so far, by the scheduler, which counts finer than
 * ticks; a child or thread that has ended no longer counts. Null where the system does not report
 * it.
 */
export function ranUsOf(pid: number): number | null {
  try {
    const threads = readdirSync(`/proc/${pid}/task`)
    const ran = threads.map((thread) => {
      const task = `/proc/${pid}/task/${thread}`
      const [ns = ''] = readFileSync(`${task}/schedstat`, 'utf8').split(' ')
      const children = readFileSync(`${task}/children`, 'utf8').split(' ').filter(Boolean)
      return Number(ns) / 1_000 + sum(children.map((child) => ranUsOf(Number(child)) ?? 0))
    })
    return sum(ran)
  } catch {
    return null
  }
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

export interface Timed<T> {
  value: T
  ms: number
  /** Of this process with its threads. */
  cpuUs: number
}

/** Wall time and processor time that this work takes in this process. */
export async function timed<T>(work: () => T | Promise<T>): Promise<Timed<T>> {
  const before = process.cpuUsage()
  const begun = performance.now()
  const value = await work()
  const ms = performance.now() - begun
  const { user, system } = process.cpuUsage(before)
  return { value, ms, cpuUs: user + system }
}
