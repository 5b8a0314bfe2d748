/** Changes that Redis keeps of one generation, at least: a reader further behind begins again. */
export const CHANGES_KEPT = 1_024
/** Changes of one read: those of some seconds. */
const CHANGES_READ = 512

/** The place before the first change. */
export const NO_CHANGE = '0-0'

/** A change of an order, as the script notes it in the same transaction. */
export interface Change {
  /** Rises with each change. */
  id: string
  slot: number
  /** The bitmaps that the order left and entered: none twice. */
  bits: readonly { name: string; isIn: boolean }[]
}

/** XRANGE's reply. */
export type ChangeReply = [id: string, fields: string[]][]

/**
 * XRANGE's arguments for the changes after one: that one is read too, as proof that it still
 * exists.
 */
export const rangeAfter = (id: string) => [id, '+', 'COUNT', CHANGES_READ] as const
/** XREVRANGE's arguments for the last change. */
export const LAST_CHANGE = ['+', '-', 'COUNT', 1] as const

/**
 * The changes after one; null if Redis no longer has that one, having lost or forgotten it, or if
 * there are more than one read has.
 */
export function changesAfter(id: string, reply: ChangeReply): Change[] | null {
  if (reply.length === CHANGES_READ) return null
  if (id === NO_CHANGE) return reply.length === 0 ? [] : null
  return reply[0]?.[0] === id ? reply.slice(1).map(readChange) : null
}

function readChange([id, [, slot, ...fields]]: ChangeReply[number]): Change {
  const bits = fields.flatMap((name, at) =>
    at % 2 === 0 ? [] : [{ name, isIn: fields[at - 1] === 'enter' }],
  )
  return { id, slot: Number(slot), bits }
}
