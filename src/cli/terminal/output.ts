import type { Paint } from './style.ts'

/** Characters that would move the cursor, colour the terminal or change the text direction. */
const UNPRINTED = /[\p{Cc}\p{Cf}\u2028\u2029]/gu

const escaped = (character: string): string =>
  `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`

const unpainted: Paint = (line) => line

/** One line on stdout, whatever untrusted text it holds; resolves once there is room for more. */
export async function printLine(line: string, paint: Paint = unpainted): Promise<void> {
  const text = `${paint(line.replaceAll(UNPRINTED, escaped))}\n`
  if (!process.stdout.write(text)) {
    await new Promise<void>((resolve) => process.stdout.once('drain', resolve))
  }
}

export async function printLines(lines: readonly string[], paint?: Paint): Promise<void> {
  for (const line of lines) await printLine(line, paint)
}

export const printJson = (value: unknown): Promise<void> => printLine(JSON.stringify(value))

/** Far below the longest timer delay; its only purpose is to exist. */
const HOLD_MS = 86_400_000

/**
 * Runs `work` until it ends; its signal aborts at SIGINT, at SIGTERM, and when the output's reader
 * is gone. The process stays alive even if only a signal can end the wait.
 */
export async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const interrupted = new AbortController()
  const abort = () => interrupted.abort()
  process.once('SIGINT', abort)
  process.once('SIGTERM', abort)
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    abort()
    // Releases writers that wait for room.
    process.stdout.emit('drain')
  })
  const hold = setInterval(() => undefined, HOLD_MS)
  try {
    return await work(interrupted.signal)
  } finally {
    clearInterval(hold)
  }
}
