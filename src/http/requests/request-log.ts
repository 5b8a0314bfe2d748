import type { FastifyBaseLogger } from 'fastify'

type Line = [object: unknown, message?: string]
type Level = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'

/**
 * The logger of a request, made when it writes its first line: most write none, and to make one
 * costs more than the line of an answer.
 */
export const requestLog = (
  logger: FastifyBaseLogger,
  ...of: Parameters<FastifyBaseLogger['child']>
): FastifyBaseLogger => new RequestLog(() => logger.child(...of)) as unknown as FastifyBaseLogger

class RequestLog {
  readonly #make: () => FastifyBaseLogger
  #made: FastifyBaseLogger | undefined

  constructor(make: () => FastifyBaseLogger) {
    this.#make = make
  }

  fatal(...line: Line): void {
    this.#write('fatal', line)
  }

  error(...line: Line): void {
    this.#write('error', line)
  }

  warn(...line: Line): void {
    this.#write('warn', line)
  }

  info(...line: Line): void {
    this.#write('info', line)
  }

  debug(...line: Line): void {
    this.#write('debug', line)
  }

  trace(...line: Line): void {
    this.#write('trace', line)
  }

  silent(...line: Line): void {
    this.#write('silent', line)
  }

  child(...of: Parameters<FastifyBaseLogger['child']>): FastifyBaseLogger {
    return this.#log.child(...of)
  }

  get level(): string {
    return this.#log.level
  }

  get #log(): FastifyBaseLogger {
    this.#made ??= this.#make()
    return this.#made
  }

  #write(level: Level, line: Line): void {
    this.#log[level](...line)
  }
}
