import { z } from 'zod'
import { OperatorError } from '../../ports/base-errors.ts'
import type { Place } from '../../streams/records/place.ts'

/** A command line argument is invalid; the message says what is valid. */
export class ArgumentError extends OperatorError {
  override name = 'ArgumentError'
}

export function parsePlace(text: string): Place {
  const [, partition, offset] = /^([0-9]{1,4})\/([0-9]{1,15})$/.exec(text) ?? []
  if (partition === undefined) {
    throw new ArgumentError(`${text} is not a place: use PARTITION/OFFSET, such as 3/120`)
  }
  return { partition: Number(partition), offset: Number(offset) }
}

/** Where a replay begins: everywhere, at a place of one partition, or at a time. */
export type Position =
  | { at: 'beginning' }
  | { at: 'place'; place: Place }
  | { at: 'time'; time: string }

const Time = z.iso.datetime({ offset: true })

export function parsePosition(text: string): Position {
  if (text === 'beginning') return { at: 'beginning' }
  if (text.includes('/')) return { at: 'place', place: parsePlace(text) }
  if (!Time.safeParse(text).success) {
    throw new ArgumentError(
      `${text} is not a position: use "beginning", PARTITION/OFFSET (such as 3/120) or a time (such as 2026-01-31T12:00:00Z)`,
    )
  }
  return { at: 'time', time: new Date(text).toISOString() }
}

/** Throws `ArgumentError` for a partition that the log does not have. */
export function requirePartition(partition: number, partitions: number): number {
  if (partition < partitions) return partition
  throw new ArgumentError(
    `no partition ${partition}: the log has partitions 0 to ${partitions - 1}`,
  )
}
