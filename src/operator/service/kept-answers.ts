import { createHash } from 'node:crypto'
import { appendFile, open } from 'node:fs/promises'
import { z } from 'zod'
import { OperatorError } from '../../ports/base-errors.ts'
import { BatchLine } from '../../schemas/api/batch.ts'
import { type InputLine, linesFrom } from './lines.ts'

/** The file of the answers is not one that an import has written. */
export class AnswersUnreadableError extends OperatorError {
  override name = 'AnswersUnreadableError'
}

/** The file has the answers to another input. */
export class OtherInputError extends OperatorError {
  override name = 'OtherInputError'

  constructor(path: string, what: string) {
    const cure = `name another file with --answers, or remove ${path} to import all lines again`
    super(`${path} has ${what}: ${cure}`)
  }
}

/** A line of the file of answers; files of 0.9 have no `input`. */
export const KeptAnswer = BatchLine.extend({
  input: z.string().exactOptional().describe('digest of the line that was answered'),
})
export type KeptAnswer = z.infer<typeof KeptAnswer>

const KeptPart = z.object(KeptAnswer.pick({ line: true, status: true, input: true }).shape)

/** What a file of answers has. */
export interface KeptAnswers {
  path: string
  lines: number
  /** How many of them were not taken. */
  refused: number
  /** The digest of the line of each answer; null: the answer has none. */
  digests: readonly (string | null)[]
}

const DIGEST_DIGITS = 16

/** The key ended before the line began: that says nothing of the line, which another key may send. */
export const isOfKey = ({ status }: Pick<KeptAnswer, 'status'>): boolean => status === 401

/** Says which line of an input it is, by the text that is kept of it. */
export const digestOfLine = (line: string): string =>
  createHash('sha256').update(line).digest('hex').slice(0, DIGEST_DIGITS)

/**
 * The answers of a file; what was cut off by the end of a process is removed, and what 0.9 kept from the
 * first line on whose key had ended. A missing file has none.
 *
 * @throws AnswersUnreadableError
 */
export async function keptAnswers(path: string): Promise<KeptAnswers> {
  const file = await open(path, 'a+')
  try {
    const digests: (string | null)[] = []
    let refused = 0
    let whole = 0
    const { size } = await file.stat()
    const bytes = file.createReadStream({ start: 0, autoClose: false })
    for await (const { text, isEnded } of linesFrom(bytes)) {
      // The write of it was cut.
      if (!isEnded) break
      const { data } = KeptPart.safeParse(jsonOf(text))
      if (data?.line !== digests.length + 1) {
        const reason = `${path}, line ${digests.length + 1}: not the answer to that line of an import`
        throw new AnswersUnreadableError(`${reason}: name another file with --answers`)
      }
      if (isOfKey(data)) break
      digests.push(data.input ?? null)
      if (data.status !== 201) refused += 1
      whole += Buffer.byteLength(text) + 1
    }
    if (whole < size) await file.truncate(whole)
    return { path, lines: digests.length, refused, digests }
  } finally {
    await file.close()
  }
}

/**
 * The lines that have no answer yet.
 *
 * @throws OtherInputError the answers are to other lines than the first ones of these
 */
export async function* unanswered(
  { path, lines: answered, digests }: KeptAnswers,
  lines: AsyncIterable<InputLine>,
): AsyncGenerator<InputLine> {
  let number = 0
  for await (const line of lines) {
    number += 1
    if (number > answered) yield line
    else if ((digests[number - 1] ?? digestOfLine(line.text)) !== digestOfLine(line.text))
      throw new OtherInputError(path, `the answer to another line ${number}`)
  }
  if (number < answered)
    throw new OtherInputError(
      path,
      `${counted(answered, 'answer')}, and the input ${counted(number, 'line')}`,
    )
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

export const appendAnswers = (path: string, answers: readonly KeptAnswer[]): Promise<void> =>
  appendFile(path, answers.map((answer) => `${JSON.stringify(answer)}\n`).join(''), { flush: true })

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
