import type { Readable } from 'node:stream'

/** An answer is larger than any query of this service can need. */
export class AnswerTooLargeError extends Error {
  override name = 'AnswerTooLargeError'
}

/**
 * A stream as text, at most `mostBytes` bytes: a longer one is an `AnswerTooLargeError`, or is
 * truncated. The stream is abandoned when the signal aborts.
 */
export const readBounded = async (...asked: Parameters<typeof readBoundedBytes>): Promise<string> =>
  (await readBoundedBytes(...asked)).toString('utf8')

/** As `readBoundedText`, but bytes. */
export async function readBoundedBytes(
  stream: Readable,
  mostBytes: number,
  signal: AbortSignal,
  take: 'whole' | 'beginning',
): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  const giveUp = () => stream.destroy(new Error('aborted'))
  signal.addEventListener('abort', giveUp)
  if (signal.aborted) giveUp()
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > mostBytes && take === 'whole') {
        throw new AnswerTooLargeError(`the answer is longer than ${mostBytes} bytes`)
      }
      chunks.push(chunk)
      if (bytes > mostBytes) break
    }
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
  return Buffer.concat(chunks).subarray(0, mostBytes)
}
