import { createHash } from 'node:crypto'
import type { DerivedSecret } from '../../schemas/webhooks/webhook-records.ts'
import { RefusalError } from '../refusal.ts'

/** Who asks for a secret. */
export interface Asker {
  operator: string
  /** The request's Idempotency-Key; null: it has none. */
  key: string | null
}

export type Asked = DerivedSecret['asked']

/** As it is recorded with the secret: neither the key nor what was asked can be read from it. */
export const askedOf = ({ operator, key }: Asker, act: string, what: unknown): Asked => ({
  by: digest([operator, act, key]),
  what: digest([operator, what]),
})

/**
 * The secret that was made for an earlier request under this key.
 *
 * @throws RefusalError IDEMPOTENCY_KEY_REUSED: that request asked for something else
 */
export function findRepeated<T extends DerivedSecret>(
  secrets: readonly T[],
  asked: Asked,
): T | undefined {
  const found = secrets.find((secret) => secret.asked.by === asked.by)
  if (found && found.asked.what !== asked.what) {
    const reason = 'Idempotency-Key: was used with another body'
    throw new RefusalError('IDEMPOTENCY_KEY_REUSED', reason)
  }
  return found
}

const digest = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex')
