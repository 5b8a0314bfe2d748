const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

const cleanups = new Set<() => void>()

/**
 * Runs before a signal ends the process, and not where the command waits for that signal itself. Returns
 * the function that ends this.
 */
export function atSignals(run: () => void): () => void {
  // First in line: a listener that is called once is still counted then.
  if (cleanups.size === 0) for (const signal of ENDING) process.prependListener(signal, end)
  cleanups.add(run)
  return () => {
    cleanups.delete(run)
    if (cleanups.size === 0) for (const signal of ENDING) process.off(signal, end)
  }
}

function end(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return
  for (const run of cleanups) run()
  process.off(signal, end)
  process.kill(process.pid, signal)
}
