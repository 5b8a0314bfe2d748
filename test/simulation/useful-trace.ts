import type { SeedResult } from './run-seed.ts'

const MAX_LINES = 60
const SHORT = 8
/** Every call has one: they say little besides those that changed something. */
const USUAL = /fault: (delay|failed call)/

/**
 * The part of a whole trace about the first violation: its order and output, or its partition, and
 * the faults, the last lines of them.
 */
export function usefulTrace({ trace, violations }: SeedResult): string[] {
  const what = violations[0]?.what ?? ''
  const [orderId] = /\b[0-9a-f]{64}\b/.exec(what) ?? []
  const names = orderId === undefined ? [] : namesOf(trace, orderId)
  const [partition] = /partition \d/.exec(what)?.[0].match(/\d/) ?? []
  const isOf = (line: string) =>
    names.length > 0
      ? names.some((name) => line.includes(name))
      : partition !== undefined && new RegExp(`(inbox|lifecycle) ${partition}/`).test(line)
  const isTold = (line: string) =>
    isOf(line) || (line.includes('fault: ') && !USUAL.test(line)) || / starts$/.test(line)
  return trace.filter(isTold).slice(-MAX_LINES)
}

/** The order and its output as the trace calls them. */
function namesOf(trace: readonly string[], orderId: string): string[] {
  const short = orderId.slice(0, SHORT)
  const command = trace.find((line) => line.includes(`import ${short} `))
  const outpoint = command?.split(`import ${short} `)[1]?.split(' ')[0]
  return outpoint === undefined ? [short] : [short, `${outpoint} `]
}
