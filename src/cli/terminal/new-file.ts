import { existsSync } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { OperatorError } from '../../ports/base-errors.ts'

/** The answer has nowhere to go. */
export class OutputError extends OperatorError {
  override name = 'OutputError'
}

type Bytes = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/** Before anything is asked for a file. @throws OutputError */
export function requireNew(path: string): void {
  if (existsSync(path)) throw new OutputError(`${path} exists already: name a new file`)
}

/** Whole, or not at all; no file is replaced. @throws OutputError */
export async function writeNew(path: string, content: string | Bytes): Promise<void> {
  requireNew(path)
  const file = await openNew(path)
  try {
    const bytes = typeof content === 'string' ? [Buffer.from(content)] : content
    await pipeline(Readable.from(bytes, { objectMode: false }), file.createWriteStream())
  } catch (error) {
    await rm(path, { force: true })
    throw error
  }
}

async function openNew(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx')
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new OutputError(`${path} cannot be written: ${why}`, { cause })
  }
}
