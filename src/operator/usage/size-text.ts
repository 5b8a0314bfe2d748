const UNITS = ['kB', 'MB', 'GB', 'TB', 'PB']

/** A byte count to three digits, in steps of a thousand. */
export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${Math.round(bytes)} B`
  let value = bytes
  let unit = -1
  // A value that would round to 1000 goes to the next unit.
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1_000
    unit += 1
  }
  const digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0
  return `${value.toFixed(digits)} ${UNITS[unit]}`
}
