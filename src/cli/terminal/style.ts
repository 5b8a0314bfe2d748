import { styleText } from 'node:util'

export type Style = Parameters<typeof styleText>[0]
/** Colours a line whose untrusted text is already without control characters. */
export type Paint = (line: string) => string

/** Text in a colour where the stream is a terminal that shows colours, and NO_COLOR is not set. */
export const styled = (
  style: Style,
  text: string,
  stream: NodeJS.WriteStream = process.stdout,
): string => styleText(style, text, { stream })

/** Colours what a pattern finds in a line, each word as the table says; other words stay plain. */
export const byWord =
  (found: RegExp, styles: Readonly<Record<string, Style>>): Paint =>
  (line) =>
    line.replace(found, (word) => {
      const style = styles[word]
      return style ? styled(style, word) : word
    })

/** The words of findings and facts, at the start of their lines. */
export const VERDICT_WORDS: Paint = byWord(/^\S+/, {
  ok: 'green',
  proved: 'green',
  sound: 'green',
  warn: 'yellow',
  claimed: 'yellow',
  consistent: 'yellow',
  fail: 'red',
  failed: 'red',
})

/** States of an order, wherever they are in a line. */
export const STATE_WORDS: Paint = byWord(/\b[A-Z]+(?:_[A-Z]+)*\b/g, {
  LIVE: 'green',
  SETTLED: 'cyan',
  MEMPOOL_CONFLICTED: 'yellow',
  PENDING_NODE: 'yellow',
  PENDING_ASSET: 'yellow',
  SPENT: 'red',
  REJECTED: 'red',
  WITHDRAWN: 'red',
})
