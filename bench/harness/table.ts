/** Rows under a heading, columns as wide as their widest text; numbers aligned right. */
export function table(
  heading: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const texts = [heading, ...rows].map((row) => row.map((cell) => text(cell)))
  const widths = heading.map((_, column) =>
    Math.max(...texts.map((row) => row[column]?.length ?? 0)),
  )
  const lines = texts.map((row, index) =>
    row.map((cell, column) => {
      const isNumber = index > 0 && typeof rows[index - 1]?.[column] === 'number'
      return isNumber ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)
    }),
  )
  return lines.map((cells) => cells.join('  ').trimEnd()).join('\n')
}

const text = (cell: string | number): string =>
  typeof cell === 'string' ? cell : Number.isInteger(cell) ? String(cell) : cell.toFixed(2)

/** 0.07 of a hundred samples are seven, and a little more as a product of floating-point numbers. */
const ROUNDING = 1e-9

/** The least of the samples that this share of them does not exceed. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * share - ROUNDING) - 1)] ?? Number.NaN
}
