import { styleText } from 'node:util'
import { type Logger, pino } from 'pino'
import type { Config } from '../../schemas/config/config.ts'
import { TerminalLog } from './terminal-log.ts'

/** Secrets and whole orders stay out of the log, wherever in a record they are. */
const SECRET_FIELDS = ['authorization', 'cookie', 'password', 'psbt', 'artifact', 'token', 'secret']
const DEPTHS = ['', '*.', '*.*.']
const REDACTED = [
  ...DEPTHS.flatMap((depth) => SECRET_FIELDS.map((field) => `${depth}${field}`)),
  'req.headers.authorization',
]

/** Control characters that JSON does not escape, and line ends that JSON does not treat as such. */
const UNESCAPED = /[\u007f-\u009f\u2028\u2029]/g

const escaped = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** One JSON line per entry, whatever its content: level by name, time in RFC 3339. */
export const openLogger = (
  { LOG_LEVEL }: Pick<Config, 'LOG_LEVEL'>,
  destination: { write(line: string): void } = process.stdout,
): Logger =>
  pino(
    {
      level: LOG_LEVEL,
      // The log collector adds host and process.
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }) },
      redact: { paths: REDACTED, censor: '(redacted)' },
      hooks: { streamWrite: (line) => line.replaceAll(UNESCAPED, escaped) },
    },
    destination,
  )

export interface ProcessLog {
  logger: Logger
  /** For people, and not for machines. */
  isPretty: boolean
  /** A log for people begins: what was said before waited for this. */
  begin(): void
}

/** The log of a process: for people where the stream is a terminal or LOG_FORMAT says so. */
export function openProcessLog(
  { LOG_LEVEL, LOG_FORMAT }: Pick<Config, 'LOG_LEVEL' | 'LOG_FORMAT'>,
  stream: NodeJS.WriteStream,
): ProcessLog {
  const isPretty = LOG_FORMAT === undefined ? stream.isTTY === true : LOG_FORMAT === 'pretty'
  if (!isPretty)
    return { logger: openLogger({ LOG_LEVEL }, stream), isPretty, begin: () => undefined }
  const log = new TerminalLog(stream, (style, text) => styleText(style, text, { stream }))
  // A process that ends before it has begun says why.
  process.once('exit', () => log.begin())
  return { logger: openLogger({ LOG_LEVEL }, log), isPretty, begin: () => log.begin() }
}
