import { randomBytes } from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import { type FileHandle, link, open, rename } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { atSignals } from '../../operator/log/at-signals.ts'
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

/** Whole, or not at all, a signal or not; no file is replaced. @throws OutputError */
export async function writeNew(path: string, content: string | Bytes): Promise<void> {
  requireNew(path)
  const part = `${path}.${randomBytes(4).toString('hex')}.part`
  const remove = () => rmSync(part, { force: true })
  const stay = atSignals(remove)
  try {
    const file = await openNew(part, path)
    const bytes = typeof content === 'string' ? [Buffer.from(content)] : content
    const written = file.createWriteStream({ flush: true })
    await pipeline(Readable.from(bytes, { objectMode: false }), written)
    await giveName(part, path)
  } finally {
    remove()
    stay()
  }
}

async function openNew(part: string, path: string): Promise<FileHandle> {
  try {
    return await open(part, 'wx')
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new OutputError(`${path} cannot be written: ${why}`, { cause })
  }
}

/** A link is refused where there is a file meanwhile, and by file systems that have none. */
async function giveName(part: string, path: string): Promise<void> {
  try {
    await link(part, path)
  } catch {
    requireNew(path)
    await rename(part, path)
  }
}
