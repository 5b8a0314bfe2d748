import { type Logger, pino } from 'pino'
import type { Config } from '../../schemas/config/config.ts'

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
