import { closeSync, constants, createReadStream, fstatSync, open, type Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Socket } from 'node:net'
import { addAbortSignal, type Readable } from 'node:stream'
import { isatty, ReadStream } from 'node:tty'
import { promisify } from 'node:util'
import { OperatorError } from '../../ports/base-errors.ts'

/** There is nothing to read at the path of an input. */
export class NoInputError extends OperatorError {
  override name = 'NoInputError'
}

/** What an import reads: a file, or what can be read only once, such as stdin or a pipe. */
export interface ImportInput {
  isFile: boolean
  /** A file may be opened again. The stream fails at the signal, also while it waits. */
  open: (signal: AbortSignal) => Promise<Readable>
}

/**
 * @param path of a file, a pipe or a terminal; or `-`: stdin
 * @throws NoInputError
 */
export async function inputAt(path: string): Promise<ImportInput> {
  if (path === '-')
    return { isFile: false, open: async (signal) => addAbortSignal(signal, process.stdin) }
  const isFile = (await statOf(path)).isFile()
  const opened = async (signal: AbortSignal) =>
    isFile ? createReadStream(path) : await openPipe(path, signal)
  return { isFile, open: async (signal) => addAbortSignal(signal, await opened(signal)) }
}

async function statOf(path: string): Promise<Stats> {
  const found = await stat(path).catch((cause: NodeJS.ErrnoException) => {
    const reason = cause.code === 'ENOENT' ? 'there is no such file' : cause.message
    throw new NoInputError(`${path} cannot be read: ${reason}`, { cause })
  })
  if (found.isDirectory()) throw new NoInputError(`${path} is a folder: name a file`)
  return found
}

/** Read like a file, a pipe would wait for its writer, and no signal would end that. */
async function openPipe(path: string, signal: AbortSignal): Promise<Readable> {
  const fd = await openWithWriter(path, signal)
  if (isatty(fd)) return new ReadStream(fd)
  if (fstatSync(fd).isFIFO()) return new Socket({ fd, readable: true, writable: false })
  return createReadStream(path, { fd })
}

const RELEASE_MS = 50

/** A named pipe opens with its first writer: from the signal on, that is this process. */
async function openWithWriter(path: string, signal: AbortSignal): Promise<number> {
  signal.throwIfAborted()
  let releasing: NodeJS.Timeout | null = null
  // Until the pipe has a reader there is nothing to release.
  const end = () => {
    releasing = setInterval(release, RELEASE_MS, path)
  }
  signal.addEventListener('abort', end, { once: true })
  try {
    // A handle of fs/promises would close it once nothing refers to the handle.
    return await promisify(open)(path, 'r')
  } finally {
    signal.removeEventListener('abort', end)
    if (releasing) clearInterval(releasing)
  }
}

function release(path: string): void {
  open(path, constants.O_WRONLY | constants.O_NONBLOCK, (_error, fd) => {
    if (fd !== undefined) closeSync(fd)
  })
}
