/** How far a long work has come: `all` null where that is not known. */
export interface Progress {
  step: string
  done: number
  all: number | null
}

export type OnProgress = (progress: Progress) => void
