import { Presets, SingleBar } from 'cli-progress'
import { atSignals } from '../../operator/log/at-signals.ts'
import type { OnProgress, Progress } from '../../operator/log/progress.ts'
import { Pace } from './pace.ts'

export interface ProgressDisplay {
  show: OnProgress
  /** A line beside what is shown. */
  say(what: string): void
  end(): void
}

const LINE_MS = 1_000
/** In the place of the bar, and whole: the library lets long lines run out of the terminal. */
const BEGIN_LINE = '\r\u001B[K\u001B[?7h'
/** Where the bar is drawn now, and left at its end. */
const END_LINE = '\u001B[?7l\u001B7'

/** A bar on a terminal; otherwise a line a second, and the last one of each step. */
export const openProgress = (title: string): ProgressDisplay =>
  process.stderr.isTTY ? openBar(title) : openLines(title)

/** A bar on a terminal, and nothing elsewhere: for work that seldom takes long. */
export const openTerminalProgress = (title: string): ProgressDisplay =>
  process.stderr.isTTY ? openBar(title) : { show: () => {}, say, end: () => {} }

const say = (what: string): void => void process.stderr.write(`market: ${what}\n`)

function openBar(title: string): ProgressDisplay {
  const format = `${title} {step} [{bar}] {counts}{pace}`
  const looks = { hideCursor: true, forceRedraw: true }
  const bar = new SingleBar({ format, stream: process.stderr, ...looks }, Presets.rect)
  const pace = new Pace()
  // It hides the cursor, and lets long lines run out of the terminal.
  const stay = atSignals(() => bar.stop())
  bar.start(1, 0, { step: '', counts: '', pace: '' })
  return {
    show: (progress) => {
      bar.setTotal(Math.max(1, progress.all ?? progress.done))
      bar.update(progress.done, {
        step: progress.step,
        counts: countsOf(progress),
        pace: pace.after(progress, performance.now()),
      })
    },
    say: (what) => {
      process.stderr.write(BEGIN_LINE)
      say(what)
      process.stderr.write(END_LINE)
      bar.render()
    },
    end: () => {
      bar.stop()
      stay()
    },
  }
}

function openLines(title: string): ProgressDisplay {
  let shownAt = Number.NEGATIVE_INFINITY
  let waiting: Progress | null = null
  const pace = new Pace()
  const write = (progress: Progress) => {
    const now = performance.now()
    const text = `${progress.step} ${countsOf(progress)}${pace.after(progress, now)}`
    process.stderr.write(`${title}: ${text}\n`)
    shownAt = now
    waiting = null
  }
  return {
    show: (progress) => {
      if (waiting && waiting.step !== progress.step) write(waiting)
      if (performance.now() - shownAt >= LINE_MS) write(progress)
      else waiting = progress
    },
    say,
    end: () => {
      if (waiting) write(waiting)
    },
  }
}

const countsOf = ({ done, all }: Progress): string => (all === null ? `${done}` : `${done}/${all}`)
