/** A row of a table in Markdown. */
export const tableRow = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

/** The page with this text in the section that the command writes. */
export function withSection(page: string, command: string, text: string): string {
  const begin = `<!-- begin: ${command} -->`
  const end = `<!-- end: ${command} -->`
  const [before, rest] = page.split(begin)
  const after = rest?.split(end)[1]
  if (before === undefined || after === undefined) throw new Error(`the page lacks ${begin}`)
  return `${before}${begin}\n\n${text}\n\n${end}${after}`
}
