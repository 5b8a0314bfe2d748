import type { Row } from './schema-rows.ts'

/** Fewer properties are shown again: a link would be no shorter. */
const LEAST_REPEATED = 4

/** The properties of objects without a name that a page has shown, each time at one operation. */
export class RepeatedRows {
  readonly #shownAt = new Map<string, string>()

  /** Of a body, the rows that the page has not shown, or where it has shown all of them. */
  of<T extends { rows: Row[] }>(operationId: string, body: T): T & { sameAs?: string } {
    const sameAs = this.#seen(operationId, body.rows)
    if (sameAs !== undefined) return { ...body, rows: [], sameAs }
    const rows: Row[] = []
    for (let at = 0; at < body.rows.length; at += 1) {
      const row = body.rows[at]
      if (row === undefined) break
      const inside = propertiesOf(row, body.rows.slice(at + 1))
      const before = this.#seen(operationId, inside)
      rows.push(before === undefined ? row : { ...row, sameAs: before })
      if (before !== undefined) at += inside.length
    }
    return { ...body, rows }
  }

  /** Where the same properties were shown; notes them otherwise. */
  #seen(operationId: string, rows: readonly Row[]): string | undefined {
    if (rows.length < LEAST_REPEATED) return undefined
    const key = JSON.stringify(rows)
    const before = this.#shownAt.get(key)
    if (before === undefined) this.#shownAt.set(key, operationId)
    return before
  }
}

/** The rows below a row, with names from it on. */
function propertiesOf({ name, isForm }: Row, after: readonly Row[]): Row[] {
  if (isForm) return []
  const isInside = (row: Row) =>
    row.name.startsWith(name) && /^[.[ ]/.test(row.name.slice(name.length))
  const end = after.findIndex((row) => !isInside(row))
  return (end < 0 ? after : after.slice(0, end)).map((row) => ({
    ...row,
    name: row.name.slice(name.length).replace(/^\./, ''),
  }))
}
