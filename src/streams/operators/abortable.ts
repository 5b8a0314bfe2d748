import { NodeUnavailableError } from '../../ports/authorities/authority-errors.ts'
import { untilAborted } from '../../runtime/until-aborted.ts'

/**
 * The node's answer, or `NodeUnavailableError` once the signal aborts: a caller that stops does not wait
 * for a hung node.
 */
export const abortable = <T>(signal: AbortSignal, answer: Promise<T>): Promise<T> =>
  untilAborted(answer, signal, () => {
    throw new NodeUnavailableError('node_unavailable', 'the request was aborted')
  })
