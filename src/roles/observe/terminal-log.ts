import type { styleText } from 'node:util'
import { printedText } from './printed-text.ts'

export type LogStyle = Parameters<typeof styleText>[0]
export type PaintLog = (style: LogStyle, text: string) => string

const STYLES = {
  trace: 'dim',
  debug: 'dim',
  info: 'green',
  warn: 'yellow',
  error: 'red',
  fatal: 'red',
} as const
type StyledLevel = keyof typeof STYLES
const URGENT: ReadonlySet<string> = new Set<StyledLevel>(['warn', 'error', 'fatal'])

interface LogEntry {
  level: StyledLevel
  time: string
  msg?: string
  err?: { stack?: string }
  [field: string]: unknown
}

/**
 * A log for people: a line per entry, with time, level, message and fields, whatever their content.
 * What is said before `begin` waits for it, so that a banner is first; a warning waits for nothing.
 */
export class TerminalLog {
  readonly #stream: { write(text: string): unknown }
  readonly #paint: PaintLog
  #waiting: string[] | null = []

  constructor(stream: { write(text: string): unknown }, paint: PaintLog = (_style, text) => text) {
    this.#stream = stream
    this.#paint = paint
  }

  /** One line of the log as JSON. */
  write(line: string): void {
    const entry = JSON.parse(line) as LogEntry
    const text = this.#text(entry)
    if (URGENT.has(entry.level)) this.begin()
    if (this.#waiting) this.#waiting.push(text)
    else this.#stream.write(text)
  }

  begin(): void {
    for (const text of this.#waiting ?? []) this.#stream.write(text)
    this.#waiting = null
  }

  #text({ level, time, msg = '', err, ...fields }: LogEntry): string {
    const clock = this.#paint('dim', time.slice('YYYY-MM-DDT'.length, -1))
    const word = this.#paint(STYLES[level], level.padEnd(5))
    const rest = Object.entries(fields).map(
      ([name, value]) => `${this.#paint('dim', `${printedText(name)}=`)}${valueText(value)}`,
    )
    const [head, ...trace] = err === undefined ? [] : (err.stack ?? JSON.stringify(err)).split('\n')
    const parts = [
      clock,
      word,
      printedText(msg),
      ...rest,
      ...(head === undefined ? [] : [printedText(head)]),
    ]
    const lines = [
      parts.join(' '),
      ...trace.map((one) => this.#paint('dim', `  ${printedText(one)}`)),
    ]
    return `${lines.join('\n')}\n`
  }
}

/** Text without spaces is as it is, everything else as JSON. */
const valueText = (value: unknown): string =>
  printedText(typeof value === 'string' && /^[^\s"]+$/.test(value) ? value : JSON.stringify(value))
