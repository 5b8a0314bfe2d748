/** Progress of a long task: `all` is null if the total is unknown. */
export interface Progress {
  step: string
  done: number
  all: number | null
}

export type OnProgress = (progress: Progress) => void
