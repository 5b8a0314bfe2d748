import { BATCH_LIMITS } from '../../schemas/api/batch.ts'

/** The bytes of a line without its end: no batch has room for a longer one. */
export const MAX_LINE_BYTES = BATCH_LIMITS.bytes - 1
const LINE_FEED = 0x0a
const BYTE_ORDER_MARK = /^\ufeff/

export interface InputLine {
  text: string
  /** It is longer than `MAX_LINE_BYTES`, and the text is its beginning. */
  isCut: boolean
  /** False: the last one, without a line feed. */
  isEnded: boolean
}

/** The lines of a text, without their ends; what follows the last end is a line if it is not empty. */
export async function* linesFrom(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<InputLine> {
  let line = new OpenLine()
  let isFirst = true
  const textOf = (text: string) => (isFirst ? text.replace(BYTE_ORDER_MARK, '') : text)
  for await (const chunk of chunks) {
    let from = 0
    for (let to = chunk.indexOf(LINE_FEED); to >= 0; to = chunk.indexOf(LINE_FEED, from)) {
      line.add(chunk.subarray(from, to))
      yield { text: textOf(line.text()), isCut: line.isCut, isEnded: true }
      line = new OpenLine()
      isFirst = false
      from = to + 1
    }
    line.add(chunk.subarray(from))
  }
  if (!line.isEmpty) yield { text: textOf(line.text()), isCut: line.isCut, isEnded: false }
}

class OpenLine {
  readonly #pieces: Uint8Array[] = []
  #room = MAX_LINE_BYTES
  isCut = false

  get isEmpty(): boolean {
    return this.#pieces.length === 0
  }

  add(piece: Uint8Array): void {
    if (piece.length > this.#room) this.isCut = true
    if (piece.length === 0 || this.#room === 0) return
    const kept = piece.subarray(0, this.#room)
    this.#pieces.push(kept)
    this.#room -= kept.length
  }

  text(): string {
    return Buffer.concat(this.#pieces).toString()
  }
}
