import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

export interface Child {
  process: ChildProcess
  /** Its standard output, line by line. */
  lines: AsyncIterable<string>
  /** The signal that ended it, or its exit code. */
  ended: Promise<string | number | null>
}

/** A program of test/support/children in a process of its own. `shell` is run first, by sh. */
export function startChild(program: string, args: readonly string[], shell = ''): Child {
  const path = new URL(`../children/${program}.ts`, import.meta.url).pathname
  const node = [process.execPath, '--import', 'tsx', path, ...args]
  const child = shell
    ? spawn('sh', ['-c', `${shell}; exec "$@"`, 'sh', ...node], {
        stdio: ['ignore', 'pipe', 'pipe'],
      })
    : spawn(node[0]!, node.slice(1), { stdio: ['ignore', 'pipe', 'pipe'] })
  return {
    process: child,
    lines: createInterface({ input: child.stdout! }),
    ended: once(child, 'exit').then(([code, signal]) => signal ?? code),
  }
}
