import { OperatorError } from '../../ports/base-errors.ts'

/** A longer line is in no batch, UTF-16 code units. */
const MAX_CHARACTERS = 4 * 2 ** 20

export class LineTooLongError extends OperatorError {
  override name = 'LineTooLongError'
}

/**
 * The lines of a text, without their ends; what follows the last end is a line if it is not empty.
 *
 * @throws LineTooLongError
 */
export async function* linesFrom(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  let number = 1
  for await (const chunk of chunks) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = parts.pop() ?? ''
    number += parts.length
    yield* parts
    if (rest.length > MAX_CHARACTERS)
      throw new LineTooLongError(`line ${number} is longer than any that can be sent`)
  }
  rest += decoder.decode()
  if (rest !== '') yield rest
}
