import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { bundleProgram } from '../bundle.ts'
import { leaveNoOrphan } from '../processes/orphans.ts'

export interface Child {
  process: ChildProcess
  /** Its standard output, line by line. */
  lines: AsyncIterable<string>
  /** The signal that ended it, or its exit code. */
  ended: Promise<string | number | null>
}

/** Bundled once: from the sources, each start would take seconds of processor time. */
const bundled = new Map<string, string>()

function pathOf(program: string): string {
  const known = bundled.get(program)
  if (known !== undefined) return known
  const path = bundleProgram(program, `test/support/children/${program}.ts`)
  bundled.set(program, path)
  return path
}

/** A program of test/support/children in a process of its own. `shell` is run first, by sh. */
export function startChild(program: string, args: readonly string[], shell = ''): Child {
  const node = [process.execPath, pathOf(program), ...args]
  const child = shell
    ? spawn('sh', ['-c', `${shell}; exec "$@"`, 'sh', ...node], {
        stdio: ['ignore', 'pipe', 'pipe'],
      })
    : spawn(node[0]!, node.slice(1), { stdio: ['ignore', 'pipe', 'pipe'] })
  leaveNoOrphan(child)
  return {
    process: child,
    lines: createInterface({ input: child.stdout! }),
    ended: once(child, 'exit').then(([code, signal]) => signal ?? code),
  }
}
