import type { LoggerOptions } from 'pino'

/** Names under which something may stand that nobody who reads a log should have. */
const SECRETS = [
  'psbt',
  'artifact',
  'signedPsbt',
  'finalTxHex',
  'authorization',
  'password',
  'token',
]

/**
 * How every role logs: one JSON line an entry, what users send escaped by JSON itself, no host name,
 * and neither credentials nor signed artifacts, wherever they stand in an entry.
 */
export const loggerOptions = (level: string): LoggerOptions => ({
  level,
  base: null,
  redact: SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
})
