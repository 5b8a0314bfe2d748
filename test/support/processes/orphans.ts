import type { ChildProcess } from 'node:child_process'

const running = new Set<ChildProcess>()
// First of what is done at the exit: a folder is removed when nothing writes to it.
process.prependListener('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** Kills a program when this process exits before it. */
export function leaveNoOrphan(child: ChildProcess): void {
  running.add(child)
  child.once('exit', () => running.delete(child))
}
