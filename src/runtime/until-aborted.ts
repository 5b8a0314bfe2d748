/**
 * The answer, or, once the signal aborts, what `instead` returns or throws: a caller need not wait
 * for an answer that hangs. A late answer or rejection is ignored.
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
