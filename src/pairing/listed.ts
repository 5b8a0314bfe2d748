/**
 * A page of a list: the body of its answer, and where the next page begins; null on the last one.
 * The contract fixes the bodies, so a header carries the place.
 */
export class Listed<T> {
  readonly body: T
  readonly next: string | null

  constructor(body: T, next: string | null) {
    this.body = body
    this.next = next
  }
}

/** A page of `most` entries from those read, which are one more if there is a next page. */
export function pageOf<T>(
  read: readonly T[],
  most: number,
  placeOf: (last: T) => string,
): { entries: T[]; next: string | null } {
  const entries = read.slice(0, most)
  const last = entries.at(-1)
  return { entries, next: read.length > most && last !== undefined ? placeOf(last) : null }
}
