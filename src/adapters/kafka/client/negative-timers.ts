const NAME = 'TimeoutNegativeWarning'

/**
 * kafkajs sets a timer of a negative time where it means at once (its RequestQueue, while no broker
 * throttles it). Node 24 prints a warning of each process's first one, which is of no use to an
 * operator: this warning is left out, all others are printed.
 */
export function quietNegativeTimers(): void {
  const emit = process.emitWarning
  process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
    if (rest[0] === NAME) return
    Reflect.apply(emit, process, [warning, ...rest])
  }
}
