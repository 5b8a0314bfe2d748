/** Characters that would move the cursor, colour the terminal or turn the direction of the text. */
const UNPRINTED = /[\p{Cc}\p{Cf}\u2028\u2029]/gu

const escaped = (character: string): string =>
  `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`

/** One line on stdout, whatever strangers wrote into it; resolves when there is room for more. */
export async function printLine(line: string): Promise<void> {
  const text = `${line.replaceAll(UNPRINTED, escaped)}\n`
  if (!process.stdout.write(text)) {
    await new Promise<void>((resolve) => process.stdout.once('drain', resolve))
  }
}

export async function printLines(lines: readonly string[]): Promise<void> {
  for (const line of lines) await printLine(line)
}

export const printJson = (value: unknown): Promise<void> => printLine(JSON.stringify(value))

/** Far below the longest delay of a timer; only that there is one matters. */
const HOLD_MS = 86_400_000

/**
 * Runs `work` until it ends, or with its signal aborted at SIGINT and SIGTERM, and when nobody reads
 * the output any more. The process waits for it also when nothing but a signal can end the waiting.
 */
export async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const interrupted = new AbortController()
  const abort = () => interrupted.abort()
  process.once('SIGINT', abort)
  process.once('SIGTERM', abort)
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    abort()
    // Who waits for room waits no longer.
    process.stdout.emit('drain')
  })
  const hold = setInterval(() => undefined, HOLD_MS)
  try {
    return await work(interrupted.signal)
  } finally {
    clearInterval(hold)
  }
}
