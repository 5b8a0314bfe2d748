import { NodeUnavailableError } from '../../ports/authorities/authority-errors.ts'

/**
 * The node's answer, or `NodeUnavailableError` once the signal aborts: a caller that stops does not wait
 * for a hung node.
 */
export function abortable<T>(signal: AbortSignal, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () =>
      reject(new NodeUnavailableError('node_unavailable', 'the request was aborted'))
    signal.addEventListener('abort', stop, { once: true })
    answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
    if (signal.aborted) stop()
  })
}
