import { createHash } from 'node:crypto'

/** Tells a customer's key from an operator's token, which begins with `mkt_`. */
const PREFIX = 'mkc_'
/** 32 random bytes in base64url: too many to guess. */
const KEY = /^mkc_[A-Za-z0-9_-]{43}$/

export const writtenKey = (bytes: Buffer): string => `${PREFIX}${bytes.toString('base64url')}`

/** Was it meant as a customer's key? */
export const isMeantAsKey = (token: string): boolean => token.startsWith(PREFIX)

export const isWellFormedKey = (token: string): boolean => KEY.test(token)

export const hashOfKey = (key: string): Buffer => createHash('sha256').update(key).digest()
