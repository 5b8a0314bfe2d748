/** The height or time at which a version of an order is requested. */
export type AsOf = { height: number } | { time: string }

const HEIGHT = /^(?:0|[1-9][0-9]{0,8})$/

/** Is the text the height of a block, and not a time? */
export const isHeight = (text: string): boolean => HEIGHT.test(text)

/**
 * The height of a block in digits, or an RFC 3339 time.
 *
 * A time selects the versions in force at it. A height selects those that were in force just before
 * the history first named a higher one, or now if it has named none (docs/history.md#versions).
 */
export const parseMoment = (text: string): AsOf =>
  isHeight(text) ? { height: Number(text) } : { time: new Date(text).toISOString() }
