/** The named points at which a test may kill the process: each side of every durable step. */
export type CrashPoint =
  `${'before' | 'after'} ${'consume' | 'compute' | 'append' | 'offset' | 'view' | 'history'}`

/** Called at each point passed; unused outside tests. */
export type OnPoint = (point: CrashPoint) => void
