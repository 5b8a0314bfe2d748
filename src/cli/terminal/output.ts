import { printedText } from '../../roles/observe/printed-text.ts'
import type { Paint } from './style.ts'

const unpainted: Paint = (line) => line

/**
 * One line on stdout, whatever untrusted text it holds; resolves once there is room for more. A
 * reader that has left, such as `head`, gets no more lines, and the command ends as it would.
 */
export async function printLine(line: string, paint: Paint = unpainted): Promise<void> {
  outliveReader()
  if (process.stdout.destroyed) return
  const text = `${paint(printedText(line))}\n`
  if (!process.stdout.write(text)) await roomOnStdout()
}

let outlives = false
function outliveReader(): void {
  if (outlives) return
  outlives = true
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    // Releases writers that wait for room.
    process.stdout.emit('drain')
  })
}

/** One listener for all who wait: the partitions of a topic are printed side by side. */
let room: Promise<void> | null = null
function roomOnStdout(): Promise<void> {
  room ??= new Promise((resolve) => {
    process.stdout.once('drain', () => {
      room = null
      resolve()
    })
  })
  return room
}

export async function printLines(lines: readonly string[], paint?: Paint): Promise<void> {
  for (const line of lines) await printLine(line, paint)
}

/** As they are: a file for the program that reads them. */
export function printBytes(bytes: Uint8Array): void {
  outliveReader()
  process.stdout.write(bytes)
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
  outliveReader()
  process.stdout.on('error', abort)
  const hold = setInterval(() => undefined, HOLD_MS)
  try {
    return await work(interrupted.signal)
  } finally {
    clearInterval(hold)
  }
}
