import { parentPort } from 'node:worker_threads'
import { parseOnce } from './parse-once.ts'
import { forbidRealTime } from './real-time.ts'
import { runSeed, type SeedOptions } from './run-seed.ts'

// A thread that runs seeds, one after another: everything of the machine that could make two runs
// differ is removed from it first.

forbidRealTime()
parseOnce()

parentPort?.on('message', (options: SeedOptions) => {
  // There are thousands of refusals a seed, whose stack traces are not needed.
  Error.stackTraceLimit = options.keepsTrace ? 10 : 0
  runSeed(options).then(
    (result) => parentPort?.postMessage({ result }),
    (error: unknown) => parentPort?.postMessage({ error: textOf(error) }),
  )
})

const textOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error)
