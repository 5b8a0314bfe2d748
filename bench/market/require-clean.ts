import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const COMMANDS = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))
const MAX_OUTPUT_BYTES = 2 ** 24

const run = promisify(execFile)

/**
 * `market audit` of what a service that has ended left in DATA_DIR, or in Kafka: the figures of one that
 * lost or invented something say nothing. Without a node in these variables no order is compared with one.
 *
 * @throws Error what the audit printed, if an invariant does not hold
 */
export async function requireClean(variables: Record<string, string>): Promise<void> {
  const { PATH = '' } = process.env
  await run(process.execPath, ['--import', 'tsx', COMMANDS, 'audit'], {
    env: { PATH, LOG_LEVEL: 'error', ...variables },
    maxBuffer: MAX_OUTPUT_BYTES,
  }).catch(({ message, stdout }: Error & { stdout?: string }) => {
    throw new Error(`${message}\n${stdout ?? ''}`)
  })
}
