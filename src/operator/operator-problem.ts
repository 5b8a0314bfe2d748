import { OperatorError, UnavailableError } from '../ports/base-errors.ts'

/** The cure for a problem that an operator can fix, as a sentence; null for any other error. */
export function operatorProblem(error: unknown): string | null {
  if (error instanceof OperatorError || error instanceof UnavailableError) return error.message
  return isListening(error) ? listenProblem(error) : fileProblem(error)
}

/** What the disk says, and not of this program: also of a file that is open, which has no path then. */
const OF_DISKS: readonly string[] = ['ENOSPC', 'EDQUOT', 'EIO']
/** With a path alone: without one these are of a socket or a process. */
const OF_PATHS: ReadonlySet<string> = new Set([
  ...['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP', 'ENAMETOOLONG'],
  ...['EMFILE', 'ENFILE', ...OF_DISKS],
])

/** Such as "EACCES: permission denied, open '/root/x'", as a sentence that begins with the path. */
function fileProblem(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return null
  const code = String(error.code)
  const path = 'path' in error ? `${error.path}` : null
  const isOfFiles = path === null ? OF_DISKS.includes(code) : OF_PATHS.has(code)
  if (!isOfFiles || String(error.syscall).startsWith('spawn')) return null
  const what = /: (.*?), /.exec(error.message)?.[1] ?? error.message
  return `${path ?? 'a file'} cannot be read or written: ${what} (${error.syscall})`
}

interface ListenError extends Error {
  code: string
  address: string
  port: number
}

const isListening = (error: unknown): error is ListenError =>
  error instanceof Error && 'syscall' in error && error.syscall === 'listen'

/** Why a port could not be opened, by the system's errno. */
function listenProblem(error: ListenError) {
  const place = `${error.address} port ${error.port}`
  switch (error.code) {
    case 'EADDRINUSE':
      return `${place} is in use by another program: set PORT (METRICS_PORT for /metrics) to a free port`
    case 'EADDRNOTAVAIL':
      return `${error.address} is not an address of this machine: set HOST to one that is, or to 0.0.0.0`
    case 'EACCES':
      return `${place} cannot be opened by this user: set PORT (METRICS_PORT for /metrics) above 1023`
    default:
      return null
  }
}
