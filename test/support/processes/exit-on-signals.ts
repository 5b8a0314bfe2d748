import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'

const SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const
/** What a signal ends, as shells say it. */
const SIGNALLED = 128
/** A terminal and npm each send the same Ctrl-C. */
const SAME_MS = 1_000
/** Others may enter, and list nothing: PostgreSQL runs as a user of its own. */
const ENTERED = 0o711

/**
 * Signals end this process by `exit`: what is done at the exit is done. `first` comes before that; a
 * second signal does not wait for it.
 */
export function exitOnSignals(first: () => Promise<void> = async () => {}): void {
  let since: number | null = null
  for (const signal of SIGNALS) {
    const exit = () => process.exit(SIGNALLED + constants.signals[signal])
    process.on(signal, () => {
      if (since === null) {
        since = performance.now()
        void first().then(exit, exit)
      } else if (performance.now() - since > SAME_MS) exit()
    })
  }
}

/** One folder for all that this process, and those that it starts, write temporarily: gone at its exit. */
export function ownTemporaryFolder(): void {
  const folder = mkdtempSync(join(tmpdir(), 'market-run-'))
  chmodSync(folder, ENTERED)
  process.env['TMPDIR'] = folder
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
}
