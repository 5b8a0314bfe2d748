import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { open } from 'lmdb'

/** What a process has done so far. */
export interface Reading {
  atMs: number
  /**
   * Handed to the kernel for any target, its disks among them (`wchar` of `/proc/PID/io`). Pages sent
   * to disks (`write_bytes`) are no measure: whole folios of the page cache, and none in memory.
   */
  bytesHanded: number
  /** Of the store in its DATA_DIR. */
  commits: number
  cpuMs: number
  /** Of its main thread alone. */
  mainCpuMs: number
}

const MS_PER_TICK = 10
const PAGE_BYTES = 4_096

export function readingOf(pid: number, dataDir: string): Reading {
  const io = readFileSync(`/proc/${pid}/io`, 'utf8')
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const counted = (name: string) => Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(io)?.[1])
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
  return {
    atMs: performance.now(),
    bytesHanded: counted('wchar'),
    commits: commitsOf(path.join(dataDir, 'store/market.mdb')),
    cpuMs: (Number(user) + Number(system)) * MS_PER_TICK,
    mainCpuMs: mainThreadCpuMs(pid),
  }
}

/** By Linux's scheduler. */
function mainThreadCpuMs(pid: number): number {
  const [ranNs] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')
  return Number(ranNs) / 1e6
}

/** LMDB numbers its transactions. */
function commitsOf(file: string): number {
  if (!existsSync(file)) return 0
  const reader = open({ path: file, readOnly: true })
  const { lastTxnId } = reader.getStats() as { lastTxnId: number }
  void reader.close()
  return lastTxnId
}

export interface Rates {
  bytesPerS: number
  commitsPerS: number
  /** Of one core, in percent. */
  cpuPercent: number
}

const LOOK_MS = 100
const LISTS = 3
const MAX_MS = 300_000

/** What a process that polls a mempool does between its lists. */
export interface Polled {
  read(): Reading
  /** Lists of the mempool that it has asked for so far. */
  lists(): Promise<number>
}

/**
 * The lowest load of its main thread, in percent, from one list of the mempool to the third after
 * it, so that each window has as many lists as are due: sampled until it is low enough, for five
 * minutes at most, since a start may take minutes to process a mempool of 300,000.
 */
export async function restingPercent(
  { read, lists }: Polled,
  wanted: number,
  clock: { now(): number; sleep(ms: number): Promise<unknown> } = {
    now: () => performance.now(),
    sleep: delay,
  },
): Promise<number> {
  const end = clock.now() + MAX_MS
  const reached = async (count: number): Promise<number> => {
    for (let now = await lists(); ; now = await lists()) {
      if (now >= count) return now
      if (clock.now() > end) return Number.NaN
      await clock.sleep(LOOK_MS)
    }
  }
  let least = Infinity
  let from = await reached((await lists()) + 1)
  while (least > wanted && clock.now() < end) {
    const before = read()
    const to = await reached(from + LISTS)
    if (Number.isNaN(to)) break
    least = Math.min(least, mainPercent(before, read()))
    from = to
  }
  if (least === Infinity) throw new Error(`the mempool was not listed ${LISTS} times`)
  return least
}

const mainPercent = (before: Reading, after: Reading): number =>
  ((after.mainCpuMs - before.mainCpuMs) / (after.atMs - before.atMs)) * 100

export async function ratesDuring(ms: number, read: () => Reading): Promise<Rates> {
  const before = read()
  await delay(ms)
  const after = read()
  const took = after.atMs - before.atMs
  const commits = after.commits - before.commits
  // A page ends each commit, of which only the changed part is handed over.
  const handed = after.bytesHanded - before.bytesHanded + commits * PAGE_BYTES
  return {
    bytesPerS: (handed / took) * 1_000,
    commitsPerS: (commits / took) * 1_000,
    cpuPercent: ((after.cpuMs - before.cpuMs) / took) * 100,
  }
}

/** The longest time that its event loop was blocked, by its own metrics, sampled every second. */
export async function longestDelayMs(metricsUrl: string, seconds: number): Promise<number> {
  await lagOf(metricsUrl)
  let longest = 0
  for (let second = 0; second < seconds; second += 1) {
    await delay(1_000)
    longest = Math.max(longest, await lagOf(metricsUrl))
  }
  return longest
}

async function lagOf(metricsUrl: string): Promise<number> {
  const metrics = await (await fetch(metricsUrl)).text()
  const [, seconds] = /^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(metrics) ?? []
  return Number(seconds) * 1_000
}
