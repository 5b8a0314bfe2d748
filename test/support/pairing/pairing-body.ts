import type { InvalidReason } from '../../../src/schemas/api/pairing.ts'
import type { Action } from './pairing-plans.ts'

/** Chooses a number below `bound`. */
export type Draw = (bound: number) => number

/** An input and an output that a body names; CREATE has no input. */
export interface Name {
  input: number | null
  vout: number
}

/** Around 1 to 4, the known ones, and both ends. */
const UNKNOWN_OPCODES = [0, 5, 0x80, 0xff]
const LABEL_CHARS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-'
/** Neighbours of the allowed ones, and bytes that are not text. */
const BAD_LABEL_CHARS = ['/', ':', '@', '[', '`', '{', ',', '^', ' ', '\0', '\xff', '\xc3\xa9']
/** Longer than PUSHDATA1 can push. */
const BIG_BODY = 300

/** The opcode and body of an action that names these, with the faults that a body can have. */
export function bodyOf(
  action: Exclude<Action, 'spend' | 'replay'>,
  names: readonly Name[],
  faults: readonly InvalidReason[],
  draw: Draw,
): { opcode: number; body: Buffer } {
  const told = misnamed(names, faults, draw)
  const isMalformed = faults.includes('malformed_body')
  const bytes = {
    create: () => createBody(told[0]?.vout ?? 0, isMalformed, draw),
    move: () => moveBody(told, isMalformed, draw),
    pair: () => [...told.map(({ input }) => input ?? 0), ...told.map(({ vout }) => vout)],
    unpair: () => told.flatMap(({ input, vout }) => [input ?? 0, vout]),
  }[action]()
  const isShifted = isMalformed && action !== 'create' && action !== 'move'
  const body = Buffer.from(isShifted ? resized(bytes, draw) : bytes)
  const opcode = { create: 1, move: 2, pair: 3, unpair: 4 }[action]
  if (!faults.includes('unknown_opcode')) return { opcode, body }
  return {
    opcode: UNKNOWN_OPCODES[draw(UNKNOWN_OPCODES.length)]!,
    body: draw(6) === 1 ? Buffer.concat([body, Buffer.alloc(BIG_BODY)]) : body,
  }
}

/**
 * Names that point past the end or twice at the same; a later fault leaves an earlier one in place.
 */
function misnamed(names: readonly Name[], faults: readonly InvalidReason[], draw: Draw): Name[] {
  const told = names.map((name) => ({ ...name }))
  const at = draw(told.length)
  const one = told[at]
  const other = told[(at + 1) % told.length]
  if (!one || !other) return told
  if (faults.includes('bad_input') && one.input !== null) one.input = 255 - draw(2)
  if (faults.includes('duplicate_input')) other.input = one.input
  if (faults.includes('bad_vout')) one.vout = 255 - draw(2)
  if (faults.includes('duplicate_vout')) other.vout = one.vout
  return told
}

function createBody(vout: number, isMalformed: boolean, draw: Draw): number[] {
  const content = Array<number>(32).fill(draw(3))
  content[31] = draw(0x100)
  const from = draw(LABEL_CHARS.length)
  const label = (LABEL_CHARS + LABEL_CHARS).slice(from, from + draw(33))
  const body = (text: string, length = text.length) => [
    vout,
    ...content,
    length,
    ...Buffer.from(text, 'latin1'),
  ]
  if (!isMalformed) return body(label)
  const variants = [
    () => body(label, label.length + 1),
    () => [...body(label), 0],
    () => body(LABEL_CHARS.slice(0, 33)),
    () => body(`${label.slice(0, 20)}${BAD_LABEL_CHARS[draw(BAD_LABEL_CHARS.length)]}`),
    () => body('').slice(0, 33),
    () => [],
  ]
  return variants[draw(variants.length)]!()
}

function moveBody(names: readonly Name[], isMalformed: boolean, draw: Draw): number[] {
  const entries = names.flatMap(({ input, vout }) => [input ?? 0, vout])
  const body = [names.length, ...entries]
  if (!isMalformed) return body
  const variants = [
    () => resized(body, draw),
    () => [0],
    () => [17, ...Array.from({ length: 34 }, (_, n) => n >> 1)],
    () => [names.length + 1, ...entries],
    () => [names.length - 1, ...entries],
    () => [],
  ]
  return variants[draw(variants.length)]!()
}

const resized = (body: readonly number[], draw: Draw): number[] =>
  draw(2) === 0 ? [...body, 0] : body.slice(0, -1)
