import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Redis } from 'ioredis'

/** Bytes that a service stores, by place. */
export interface Sizes {
  kafka: number
  redis: number
  lmdb: number
  /** Of the process. */
  rss: number
}

const BLOCK_BYTES = 512

/** Disk usage of a folder: sparse files count by their allocated blocks. */
export function bytesOnDisk(folder: string): number {
  if (!existsSync(folder)) return 0
  let bytes = 0
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) bytes += bytesOnDisk(path)
    // Files come and go while they are counted.
    else bytes += (statSync(path, { throwIfNoEntry: false })?.blocks ?? 0) * BLOCK_BYTES
  }
  return bytes
}

export async function redisBytes(redis: Redis): Promise<number> {
  const memory = await redis.info('memory')
  return Number(/^used_memory_dataset:([0-9]+)/m.exec(memory)?.[1])
}

/** The resident memory of a process. */
export const rssOf = (pid: number): number => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+([0-9]+) kB$/m.exec(status)?.[1]) * 1_024
}
