import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { open } from 'lmdb'

/** What a process has done so far. */
export interface Reading {
  atMs: number
  /** Pages sent to its disks (`/proc/PID/io`). */
  bytesSent: number
  /** Handed to the kernel for any target, its disks among them. */
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
    bytesSent: counted('write_bytes'),
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
  /** Of its main thread, in percent. */
  mainPercent: number
}

const LOOK_MS = 5_000
const MAX_LOOKS = 60

/**
 * The lowest load of its main thread, in percent, over 5 s: sampled until it is low enough, for five
 * minutes at most, since a start may take minutes to process a mempool of 300,000.
 */
export async function restingPercent(read: () => Reading, wanted: number): Promise<number> {
  let least = Infinity
  for (let look = 0; look < MAX_LOOKS && least > wanted; look += 1) {
    least = Math.min(least, (await ratesDuring(LOOK_MS, read)).mainPercent)
  }
  return least
}

export async function ratesDuring(ms: number, read: () => Reading): Promise<Rates> {
  const before = read()
  await delay(ms)
  const after = read()
  const took = after.atMs - before.atMs
  const commits = after.commits - before.commits
  const sent = after.bytesSent - before.bytesSent
  // Linux counts the whole folio of the page cache of which a page is written: the bytes handed to
  // it are closer, plus the page that ends each commit, of which only the changed part is handed
  // over.
  const handed = after.bytesHanded - before.bytesHanded + commits * PAGE_BYTES
  return {
    bytesPerS: (Math.min(sent, handed) / took) * 1_000,
    commitsPerS: (commits / took) * 1_000,
    cpuPercent: ((after.cpuMs - before.cpuMs) / took) * 100,
    mainPercent: ((after.mainCpuMs - before.mainCpuMs) / took) * 100,
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
