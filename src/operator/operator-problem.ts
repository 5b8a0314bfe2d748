import { OperatorError, UnavailableError } from '../ports/base-errors.ts'

/** The cure for a problem that an operator can fix, as a sentence; null for any other error. */
export function operatorProblem(error: unknown): string | null {
  if (error instanceof OperatorError || error instanceof UnavailableError) return error.message
  return isListening(error) ? listenProblem(error) : fileProblem(error)
}

/** What the file system says of a path, or of the disk, and not of this program. */
const OF_FILES: ReadonlySet<string> = new Set([
  ...['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP', 'ENAMETOOLONG'],
  ...['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE', 'EIO'],
])

/** Such as "EACCES: permission denied, open '/root/x'", as a sentence that begins with the path. */
function fileProblem(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return null
  const isOfFiles = OF_FILES.has(String(error.code)) && !String(error.syscall).startsWith('spawn')
  if (!isOfFiles) return null
  const what = /: (.*?), /.exec(error.message)?.[1] ?? error.message
  const path = 'path' in error ? `${error.path}` : 'a file'
  return `${path} cannot be read or written: ${what} (${error.syscall})`
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
