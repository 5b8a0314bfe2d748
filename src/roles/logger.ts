import { type Logger, pino } from 'pino'
import type { Config } from '../schemas/config.ts'

/** Secrets and whole orders stay out of the log, wherever in a record they stand. */
const REDACTED = [
  'authorization',
  'cookie',
  'password',
  'psbt',
  'artifact',
  '*.authorization',
  '*.cookie',
  '*.password',
  '*.psbt',
  '*.artifact',
  'req.headers.authorization',
]

/** One JSON line an entry. */
export const openLogger = ({ LOG_LEVEL }: Pick<Config, 'LOG_LEVEL'>): Logger =>
  pino({ level: LOG_LEVEL, redact: { paths: REDACTED, censor: '(redacted)' } })
