import { appendFile, open } from 'node:fs/promises'
import { OperatorError } from '../../ports/base-errors.ts'
import { BatchLine } from '../../schemas/api/batch.ts'
import { linesFrom } from './lines.ts'

/** The file of the answers is not one that an import has written. */
export class AnswersUnreadableError extends OperatorError {
  override name = 'AnswersUnreadableError'
}

/**
 * How many lines the file has answers to; what was cut off by the end of a process is removed. A
 * missing file has none.
 *
 * @throws AnswersUnreadableError
 */
export async function answeredLines(path: string): Promise<number> {
  const file = await open(path, 'a+')
  try {
    let answered = 0
    let whole = 0
    const { size } = await file.stat()
    for await (const text of linesFrom(file.createReadStream({ start: 0, autoClose: false }))) {
      const end = whole + Buffer.byteLength(text) + 1
      // Without its end: the write of it was cut.
      if (end > size) break
      if (BatchLine.shape.line.safeParse(lineOf(text)).data !== answered + 1) {
        const reason = `${path}, line ${answered + 1}: not the answer to that line of an import`
        throw new AnswersUnreadableError(`${reason}: name another file with --answers`)
      }
      answered += 1
      whole = end
    }
    if (whole < size) await file.truncate(whole)
    return answered
  } finally {
    await file.close()
  }
}

export const appendAnswers = (path: string, answers: readonly BatchLine[]): Promise<void> =>
  appendFile(path, answers.map((answer) => `${JSON.stringify(answer)}\n`).join(''), { flush: true })

function lineOf(text: string): unknown {
  try {
    return (JSON.parse(text) as { line?: unknown } | null)?.line
  } catch {
    return null
  }
}
