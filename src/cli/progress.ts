import { Presets, SingleBar } from 'cli-progress'
import type { OnProgress, Progress } from '../operator/progress.ts'

export interface ProgressDisplay {
  show: OnProgress
  end(): void
}

const LINE_MS = 1_000

/** A bar on a terminal; otherwise a line a second, and the last one of each step. */
export const openProgress = (title: string): ProgressDisplay =>
  process.stderr.isTTY ? openBar(title) : openLines(title)

function openBar(title: string): ProgressDisplay {
  const format = `${title} {step} [{bar}] {counts}`
  const bar = new SingleBar({ format, stream: process.stderr, hideCursor: true }, Presets.rect)
  bar.start(1, 0, { step: '', counts: '' })
  return {
    show: (progress) => {
      bar.setTotal(Math.max(1, progress.all ?? progress.done))
      bar.update(progress.done, { step: progress.step, counts: countsOf(progress) })
    },
    end: () => bar.stop(),
  }
}

function openLines(title: string): ProgressDisplay {
  let shownAt = Number.NEGATIVE_INFINITY
  let waiting: Progress | null = null
  const write = (progress: Progress) => {
    process.stderr.write(`${title}: ${progress.step} ${countsOf(progress)}\n`)
    shownAt = performance.now()
    waiting = null
  }
  return {
    show: (progress) => {
      if (waiting && waiting.step !== progress.step) write(waiting)
      if (performance.now() - shownAt >= LINE_MS) write(progress)
      else waiting = progress
    },
    end: () => {
      if (waiting) write(waiting)
    },
  }
}

const countsOf = ({ done, all }: Progress): string => (all === null ? `${done}` : `${done}/${all}`)
