import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** The locks of all processes, as Linux shows them (proc(5)). */
const LOCKS = '/proc/locks'

/**
 * The other process that has chDB's folder open; null: there is none, or this system does not show
 * locks. The engine itself would print its refusal on stderr. A file `status` without a lock was left by
 * a process that was killed.
 */
export function historyHolder(directory: string, locks = LOCKS): number | null {
  const path = join(directory, 'status')
  try {
    const { ino } = statSync(path)
    const pid = Number(/^PID: (\d+)/m.exec(readFileSync(path, 'utf8'))?.[1] ?? Number.NaN)
    const held = new RegExp(` FLOCK +ADVISORY +WRITE ${pid} [0-9a-f]+:[0-9a-f]+:${ino} `)
    return pid !== process.pid && held.test(readFileSync(locks, 'utf8')) ? pid : null
  } catch {
    return null
  }
}
