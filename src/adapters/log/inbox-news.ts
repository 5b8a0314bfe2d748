import type { Stored } from '../../ports/log/event-log.ts'
import { TOPICS, type Topic } from '../../schemas/log.ts'

/** Characters of a txid, before the colon of an outpoint. */
const TXID_CHARACTERS = 64

/** Could this key be an outpoint? A key of another form says nothing about its record. */
export const namesOutput = (key: string): boolean => key[TXID_CHARACTERS] === ':'

/** A record of a log that has parsed its values, with the output that a spend or output is of. */
export function storedWith(
  topic: Topic,
  key: string,
  { partition, offset, value }: Stored<unknown>,
): Stored<unknown> {
  const isNews = topic === TOPICS.inbox && isSpendOrOutput(value) && namesOutput(key)
  return isNews ? { partition, offset, value, newsOf: key } : { partition, offset, value }
}

const isSpendOrOutput = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  'kind' in value &&
  (value.kind === 'spend' || value.kind === 'output')
