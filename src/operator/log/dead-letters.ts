import { randomUUID } from 'node:crypto'
import type { Config } from '../../schemas/config/config.ts'
import type { LetterRetry } from '../../schemas/operations.ts'
import type { SetAside } from '../../streams/progress/set-aside.ts'
import {
  readLetter,
  readLetters,
  retryLetter,
  wantedLetters,
} from '../../streams/records/dead-letters.ts'
import { inboxPlaceText, type Place } from '../../streams/records/place.ts'
import { withExistingLog } from './open-existing.ts'
import { requirePartition } from './place.ts'

/** Every dead letter, in the order of its place. */
export const listDead = (config: Config): Promise<SetAside[]> =>
  withExistingLog(config, 'dlq list', ({ log }) => readLetters(log))

/** A dead letter, and its record as the inbox still has it (`original` null: it is past its retention). */
export const showDead = (
  config: Config,
  place: Place,
): Promise<{ letter: SetAside | null; original: unknown }> =>
  withExistingLog(config, 'dlq show', ({ log }) => {
    requirePartition(place.partition, log.partitions)
    return readLetter(log, place)
  })

/**
 * Appends the records again to the inbox partition of their output, if they are now readable, and
 * marks each in the dead letters; all of one record or nothing. `all`: all not yet retried.
 */
export const retryDead = (
  config: Config,
  places: readonly Place[] | 'all',
): Promise<readonly LetterRetry[]> =>
  withExistingLog(config, 'dlq retry', async ({ context, log }) => {
    for (const place of places === 'all' ? [] : places) {
      requirePartition(place.partition, log.partitions)
    }
    const retries: LetterRetry[] = []
    for (const wanted of await wantedLetters(log, places)) {
      const retrying = { log, now: context.clock.now(), newRequestId: randomUUID }
      retries.push(await retryLetter(retrying, wanted))
    }
    return retries
  })

/** One line per letter. */
export const deadLine = ({ place, reasons, retried }: SetAside): string => {
  const state = retried ? `retried at ${retried.at} to partition ${retried.toPartition}` : 'dead'
  return `${inboxPlaceText(place).padEnd(12)}${state}  ${reasons.join('; ')}`
}

export const retryLine = ({ place, toPartition, why }: LetterRetry): string =>
  toPartition === null
    ? `${inboxPlaceText(place).padEnd(12)}not retried: ${why}`
    : `${inboxPlaceText(place).padEnd(12)}retried: appended to inbox partition ${toPartition}`
