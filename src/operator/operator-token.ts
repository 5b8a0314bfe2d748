import { createHash, randomBytes } from 'node:crypto'
import { Operator } from '../schemas/config/config.ts'
import { ArgumentError } from './log/place.ts'

/** Too long to guess: see http/clients/operators.ts. */
const TOKEN_BYTES = 32

/** A token that names no last day has one all the same. */
export const TOKEN_DAYS = 90
const DAY_MS = 86_400_000

/**
 * The last day (UTC) of a token made now: the day given, none for `never`, and by default one in
 * `TOKEN_DAYS` days. Throws `ArgumentError` for a day that is over.
 */
export function lastDayOf(expires: string | undefined, now: number): string | undefined {
  if (expires === 'never') return undefined
  const today = dayOf(now)
  const lastDay = expires ?? dayOf(now + TOKEN_DAYS * DAY_MS)
  if (lastDay < today)
    throw new ArgumentError(
      `${lastDay} is over: today is ${today} (UTC), so nothing accepts the token`,
    )
  return lastDay
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 'YYYY-MM-DD'.length)

export interface NewToken {
  /** Given to the operator, and stored nowhere else. */
  token: string
  /** An entry of OPERATOR_TOKENS. */
  entry: string
}

/**
 * Creates an operator's token, accepted to the end of `lastDay` (UTC, YYYY-MM-DD) if one is given.
 * Throws `ArgumentError` for an invalid name or day.
 */
export function makeOperatorToken(name: string, lastDay?: string): NewToken {
  const token = `mkt_${randomBytes(TOKEN_BYTES).toString('base64url')}`
  const hash = createHash('sha256').update(token).digest('hex')
  const entry = [name, hash, ...(lastDay === undefined ? [] : [lastDay])].join(':')
  if (!Operator.safeParse(entry).success) {
    throw new ArgumentError(
      'the name of an operator is 1 to 64 letters, digits, dots, dashes or underscores, and the expiry is a date, YYYY-MM-DD',
    )
  }
  return { token, entry }
}
