/**
 * The id of every row and rule of the specification, read from its text: each row of a table, each
 * numbered rule, each record described by one sentence, each bullet of section 4.2.
 */
export function idsOfSpec(markdown: string): string[] {
  const ids: string[] = []
  let section = ''
  let record = ''
  let row = 0
  let isHead = true
  for (const line of markdown.split('\n')) {
    const heading = /^#{2,3} (\d+(?:\.\d+)?)/.exec(line)
    if (heading) [section, record, row] = [String(heading[1]), '', 0]
    if (!line.startsWith('|')) isHead = true

    const rule = /^(\d+)\. /.exec(line)
    const bullet = /^- ([A-Z][a-z]+(?: [A-Za-z]+)*): /.exec(line)
    const sentence = /^([A-Z][A-Za-z]+)(?: \([^)]*\))?: /.exec(line)
    const title = /^([A-Z][A-Za-z]+)(?: \(.*\))?$/.exec(line)
    if (rule) ids.push(`${section} rule ${rule[1]}`)
    else if (section === '4.2' && bullet) ids.push(`4.2 ${bullet[1]}`)
    else if (section === '2.2' && sentence) ids.push(`2.2 ${sentence[1]}`)
    else if (section === '2.2' && title) record = String(title[1])
    else if (section === '9' && /^[A-Z]/.test(line)) ids.push('9 paths')
    else if (line.startsWith('|')) {
      const cells = line.split('|').map((cell) => cell.trim())
      const [, first = '', second = ''] = cells
      if (isHead) isHead = first !== '---' && !first.startsWith('---')
      else {
        row += 1
        ids.push(idOfRow({ section, record, row, first, second }))
      }
    }
  }
  return ids
}

interface Row {
  section: string
  record: string
  row: number
  first: string
  second: string
}

function idOfRow({ section, record, row, first, second }: Row): string {
  if (section === '2.2') return `2.2 ${record}.${first.replace(' (optional)', '')}`
  if (section === '3') return `3 row ${row}`
  if (section === '4') return `4 ${first} ${second}`
  if (section === '7') {
    const isField = !/^\d/.test(first)
    return isField ? `7 ErrorResponse.${first.replace(' (optional)', '')}` : `7 ${first}`
  }
  return `${section} ${first}`
}
