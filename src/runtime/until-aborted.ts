/**
 * The answer; once the signal aborts, what `instead` gives or throws: who waits for something that
 * hangs can leave. A late answer is ignored, and so is its rejection.
 */
export function untilAborted<T, Instead>(
  answer: Promise<T>,
  signal: AbortSignal,
  instead: () => Instead,
): Promise<T | Instead> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      try {
        resolve(instead())
      } catch (error) {
        reject(error)
      }
    }
    signal.addEventListener('abort', leave, { once: true })
    answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
    if (signal.aborted) leave()
  })
}

/** Resolves once the signal aborts. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
