type Value = string | number | boolean | null | readonly Value[]

/** A spreadsheet would run it: what begins so is text of a stranger, unless it is a number. */
const FORMULA = /^[=+@\t\r-](?!\d+(?:\.\d+)?$)/

/** Rows as CSV (RFC 4180), under the names of their columns; null is an empty cell. */
export function csvOf(rows: readonly Readonly<Record<string, Value>>[]): string {
  const names = Object.keys(rows[0] ?? {})
  const lines = rows.map((row) => names.map((name) => cellOf(row[name] ?? null)).join(','))
  return `${[names.join(','), ...lines].join('\r\n')}\r\n`
}

function cellOf(value: Value): string {
  const text = value === null ? '' : Array.isArray(value) ? value.join(' ') : String(value)
  const safe = FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
