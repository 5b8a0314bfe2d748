import { styleText } from 'node:util'

// The appearance of the demo. Plain text without a terminal, or when NO_COLOR is set.

const WIDTH = 100
const INDENT = '      '
/** GET, POST, a status, or who else acts. */
const MARK_WIDTH = 8
const LEAST_NAME_WIDTH = 22

const isColoured = process.stdout.isTTY === true && !process.env['NO_COLOR']
const style = (format: Parameters<typeof styleText>[0], text: string): string =>
  isColoured ? styleText(format, text) : text

/** A name and its value; an empty name is none. */
export type Row = readonly [name: string, text: string]

const print = (line = ''): void => void process.stdout.write(`${line.trimEnd()}\n`)

export function printTitle(title: string, rows: readonly Row[]): void {
  print()
  print(style('bold', title))
  print()
  for (const [name, text] of rows) print(`  ${name.padEnd(14)}${text}`)
}

export function printAct(title: string, intro: string): void {
  print()
  print()
  print(style(['bold', 'cyan'], title))
  print(style('cyan', '─'.repeat(title.length)))
  for (const line of wrapped(intro, WIDTH)) print(line)
}

export function printStep(number: string, sentence: string): void {
  const lines = wrapped(sentence, WIDTH - INDENT.length)
  print()
  lines.forEach((line, at) => {
    print(`${(at === 0 ? number : '').padEnd(INDENT.length)}${style('bold', line)}`)
  })
}

/** What was sent: the method and the path, and the fields of the body below. */
export function printRequest(method: string, path: string, body: readonly Row[]): void {
  printRows(method, [['', path], ...body], 'yellow')
}

export function printAnswer(status: number, rows: readonly Row[]): void {
  printRows(String(status), rows, status < 400 ? 'green' : 'red')
}

/** What a wallet, the node or the index did, outside the service. */
export function printDeed(who: string, rows: readonly Row[]): void {
  printRows(who, rows, 'magenta')
}

export function printEnd(lines: readonly string[]): void {
  print()
  print()
  for (const line of lines) print(style(['bold', 'green'], line))
  print()
}

function printRows(
  mark: string,
  rows: readonly Row[],
  colour: 'yellow' | 'green' | 'red' | 'magenta',
) {
  const shown = rows.length > 0 ? rows : [['', ''] as const]
  const nameWidth = Math.max(LEAST_NAME_WIDTH, ...shown.map(([name]) => name.length + 2))
  shown.forEach(([name, text], at) => {
    const left = INDENT + style(colour, (at === 0 ? mark : '').padEnd(MARK_WIDTH))
    const column = name === '' ? 0 : nameWidth
    const lines = wrapped(text, WIDTH - INDENT.length - MARK_WIDTH - column)
    lines.forEach((line, index) => {
      const before = index === 0 ? left : ' '.repeat(INDENT.length + MARK_WIDTH)
      const label = style('dim', (index === 0 ? name : '').padEnd(column))
      print(before + label + line)
    })
  })
}

/** Broken between words; a line break of the text stays one. */
function wrapped(text: string, width: number): string[] {
  return text.split('\n').flatMap((paragraph) => {
    const lines: string[] = []
    for (const word of paragraph.split(' ')) {
      const last = lines.at(-1)
      if (last === undefined || last.length + 1 + word.length > width) lines.push(word)
      else lines[lines.length - 1] = `${last} ${word}`
    }
    return lines
  })
}
