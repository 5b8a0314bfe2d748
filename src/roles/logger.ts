import { type Logger, pino } from 'pino'
import type { Config } from '../schemas/config.ts'

/** Secrets and whole orders stay out of the log, wherever in a record they stand. */
const SECRET_FIELDS = ['authorization', 'cookie', 'password', 'psbt', 'artifact', 'token']
const DEPTHS = ['', '*.', '*.*.']
const REDACTED = [
  ...DEPTHS.flatMap((depth) => SECRET_FIELDS.map((field) => `${depth}${field}`)),
  'req.headers.authorization',
]

/** Control characters that JSON leaves as they are, and line ends that are none to JSON. */
const UNESCAPED = /[\u007f-\u009f\u2028\u2029]/g

const escaped = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** One JSON line an entry, whatever was said in it: level by name, time in RFC 3339. */
export const openLogger = (
  { LOG_LEVEL }: Pick<Config, 'LOG_LEVEL'>,
  destination: { write(line: string): void } = process.stdout,
): Logger =>
  pino(
    {
      level: LOG_LEVEL,
      // The host and the process are named by whoever collects the lines.
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }) },
      redact: { paths: REDACTED, censor: '(redacted)' },
      hooks: { streamWrite: (line) => line.replaceAll(UNESCAPED, escaped) },
    },
    destination,
  )
