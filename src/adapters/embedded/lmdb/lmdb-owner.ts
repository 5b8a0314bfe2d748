import { readFileSync } from 'node:fs'

/** Names one process among all that ever ran: a pid alone is reused. */
export interface ProcessIdentity {
  pid: number
  /** The kernel's boot id; null if it cannot be read. */
  boot: string | null
  /** When the process started, in a unit of its own platform. */
  started: string
}

export const thisProcess = (): ProcessIdentity => ({
  pid: process.pid,
  boot: bootId(),
  started: startOf(process.pid) ?? String(performance.timeOrigin),
})

/** Does the process still run, as far as this machine can tell? */
export function isRunning(owner: ProcessIdentity): boolean {
  const me = thisProcess()
  if (owner.pid === me.pid) return owner.started === me.started && owner.boot === me.boot
  if (me.boot !== null) return owner.boot === me.boot && owner.started === startOf(owner.pid)
  return answersSignal(owner.pid)
}

function bootId(): string | null {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return null
  }
}

// proc(5): field 22 of stat, in clock ticks since boot. The second field is the name in parentheses
// and may hold spaces, so the fields are counted from its end.
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null
  } catch {
    return null
  }
}

function answersSignal(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
