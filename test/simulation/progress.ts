import type { Tally } from './tally.ts'

const LINE_EVERY_MS = 30_000
const SHOWN_EVERY_MS = 200

/** The progress of the seeds: one moving line on a terminal, an occasional line in a log. */
export function openProgress(seeds: number, out: NodeJS.WriteStream = process.stderr) {
  const everyMs = out.isTTY ? SHOWN_EVERY_MS : LINE_EVERY_MS
  let shown = performance.now()
  return {
    passed(tally: Tally): void {
      if (performance.now() - shown < everyMs && tally.seeds < seeds) return
      shown = performance.now()
      const line = `${tally.seeds} of ${seeds} seeds, ${tally.perSecond.toFixed(2)} a second, ${tally.violated.length} with a violation`
      out.write(out.isTTY ? `\r\x1b[K${line}` : `${line}\n`)
    },
    end(): void {
      if (out.isTTY) out.write('\r\x1b[K')
    },
  }
}
