import { NodeUnavailable } from '../ports/authority-errors.ts'

/**
 * An answer of the node, or `NodeUnavailable` once the signal aborts: whoever stops does not wait for
 * a node that hangs.
 */
export function unlessAborted<T>(signal: AbortSignal, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(new NodeUnavailable('node_unavailable', 'nobody waits any more'))
    signal.addEventListener('abort', stop, { once: true })
    answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
    if (signal.aborted) stop()
  })
}
