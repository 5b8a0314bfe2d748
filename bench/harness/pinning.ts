import { spawnSync } from 'node:child_process'
import { availableParallelism } from 'node:os'

/** Whoever is measured has a core that its client has not. */
const CORES = { server: '0', client: '1' }
const FEWEST_CORES = 2

let canPin: boolean | undefined

/** Moves a process with all its threads to its core; false where there is one core or no `taskset`. */
export function pin(pid: number, as: keyof typeof CORES): boolean {
  canPin ??=
    availableParallelism() >= FEWEST_CORES &&
    spawnSync('taskset', ['--version'], { stdio: 'ignore' }).status === 0
  if (!canPin) return false
  const args = ['--all-tasks', '--cpu-list', '--pid', CORES[as], String(pid)]
  return spawnSync('taskset', args, { stdio: 'ignore' }).status === 0
}
