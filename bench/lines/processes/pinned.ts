import { type ChildProcess, fork } from 'node:child_process'
import { openSync } from 'node:fs'
import { availableParallelism, constants, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { leaveNoOrphan } from '../../../test/support/processes/orphans.ts'
import { type Call, channelTo, endOf, openWire } from '../../market/wire.ts'

/** The core of the server under test; clients and stores use another one. */
export const SERVER_CORE = 0
export const OTHER_CORE = availableParallelism() > 1 ? 1 : 0

export interface PinnedProcess extends Disposable {
  call: Call
  child: ChildProcess
}

export interface Pinned {
  module: string
  core: number
  args?: readonly string[]
  /** A file to which its output is appended. */
  log?: string
  /** A folder for a CPU profile of its whole life. */
  profile?: string | undefined
}

/** Runs a module of this folder in a process of its own, on one core (`taskset`). */
export function forkPinned({ module, core, args = [], log, profile }: Pinned): PinnedProcess {
  const path = fileURLToPath(new URL(`./${module}.ts`, import.meta.url))
  const profiled = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]
  const child = fork(path, [...args], {
    execPath: 'taskset',
    execArgv: ['--cpu-list', String(core), process.execPath, ...profiled, '--import', 'tsx'],
    stdio: ['ignore', log === undefined ? 'inherit' : openSync(log, 'a'), 'inherit', 'ipc'],
  })
  leaveNoOrphan(child)
  comeFirst(child.pid)
  const call = openWire(channelTo(child), {}, endOf(child, module))
  return { call, child, [Symbol.dispose]: () => void child.kill() }
}

/** Waits until it exits by itself, so that its profile is written. */
export function ended({ call, child }: PinnedProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve())
    // It may end before its answer is sent.
    call('end').catch(() => resolve())
  })
}

/**
 * Ahead of other programs on a busy machine, where this user has the right: those are not measured.
 */
export function comeFirst(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_HIGHEST)
  } catch {
    // The figures then hold less still.
  }
}
