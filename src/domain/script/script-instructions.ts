/** One step of a script: the bytes that it pushes, or an opcode that pushes no bytes. */
export type Instruction = (
  | { push: Uint8Array /** Is it in its shortest form (BIP62, MINIMALDATA)? */; isMinimal: boolean }
  | { opcode: number }
) & {
  /** Where the next step begins, in bytes. */
  end: number
}

const OP_PUSHDATA1 = 0x4c
const OP_PUSHDATA4 = 0x4e

/**
 * Reads a script step by step, distinguishing `01 01` (a push) from OP_1 (an opcode): ord counts
 * them differently. OP_0 is an empty push. Null when a push runs past the end.
 */
export function instructionsOf(script: Uint8Array): Instruction[] | null {
  const instructions: Instruction[] = []
  const bytes = Buffer.from(script)
  let at = 0
  while (at < bytes.length) {
    const opcode = bytes.readUInt8(at++)
    if (opcode > OP_PUSHDATA4) {
      instructions.push({ opcode, end: at })
      continue
    }
    const lengthBytes = opcode < OP_PUSHDATA1 ? 0 : 1 << (opcode - OP_PUSHDATA1)
    if (at + lengthBytes > bytes.length) return null
    const length = lengthBytes === 0 ? opcode : bytes.readUIntLE(at, lengthBytes)
    at += lengthBytes
    if (at + length > bytes.length) return null
    const push = bytes.subarray(at, at + length)
    at += length
    instructions.push({ push, isMinimal: opcode === shortestPush(push), end: at })
  }
  return instructions
}

const OP_1NEGATE = 0x4f
const OP_1 = 0x51
const OP_16 = 0x60

/** The opcode that must push these bytes (Core `CheckMinimalPush`). */
function shortestPush(push: Uint8Array): number {
  const [first = 0] = push
  if (push.length === 1 && first === 0x81) return OP_1NEGATE
  if (push.length === 1 && first >= 1 && first <= 16) return OP_1 + first - 1
  if (push.length < OP_PUSHDATA1) return push.length
  return push.length <= 0xff ? OP_PUSHDATA1 : OP_PUSHDATA1 + 1
}

/** The byte that OP_1NEGATE or OP_1 to OP_16 pushes; null for any other opcode. */
export function numberPushed(opcode: number): number | null {
  if (opcode === OP_1NEGATE) return 0x81
  return opcode >= OP_1 && opcode <= OP_16 ? opcode - OP_1 + 1 : null
}

/** Does it push a value, or is it OP_RESERVED, as Core `IsPushOnly` takes it? */
export const isPushing = (instruction: Instruction): boolean =>
  'push' in instruction || instruction.opcode <= OP_16

/** What an instruction pushes; null if it does something else. */
export function valuePushed(instruction: Instruction): Uint8Array | null {
  if ('push' in instruction) return instruction.push
  const number = numberPushed(instruction.opcode)
  return number === null ? null : Uint8Array.of(number)
}

export const isEmptyPush = (instruction: Instruction | undefined): boolean =>
  instruction !== undefined && 'push' in instruction && instruction.push.length === 0
