import { crypto } from 'bitcoinjs-lib'
import { booleanValue, isSame, NUMBER_BYTES, numberOf, numberValue } from './script-value.ts'

/** An opcode that only moves items: how many it takes, and which of them it leaves, 0 deepest. */
export const MOVES: Readonly<Record<number, { takes: number; leaves: readonly number[] }>> = {
  109: { takes: 2, leaves: [] },
  110: { takes: 2, leaves: [0, 1, 0, 1] },
  111: { takes: 3, leaves: [0, 1, 2, 0, 1, 2] },
  112: { takes: 4, leaves: [0, 1, 2, 3, 0, 1] },
  113: { takes: 6, leaves: [2, 3, 4, 5, 0, 1] },
  114: { takes: 4, leaves: [2, 3, 0, 1] },
  117: { takes: 1, leaves: [] },
  118: { takes: 1, leaves: [0, 0] },
  119: { takes: 2, leaves: [1] },
  120: { takes: 2, leaves: [0, 1, 0] },
  123: { takes: 3, leaves: [1, 2, 0] },
  124: { takes: 2, leaves: [1, 0] },
  125: { takes: 2, leaves: [1, 0, 1] },
}

type Numbers = readonly number[]

const compared =
  (is: (a: number, b: number) => boolean) =>
  ([a = 0, b = 0]: Numbers) =>
    Number(is(a, b))

/** Opcodes of arithmetic: of how many numbers, and the result. */
export const ARITHMETIC: Readonly<
  Record<number, { takes: number; result: (numbers: Numbers) => number }>
> = {
  139: { takes: 1, result: ([a = 0]) => a + 1 },
  140: { takes: 1, result: ([a = 0]) => a - 1 },
  143: { takes: 1, result: ([a = 0]) => 0 - a },
  144: { takes: 1, result: ([a = 0]) => Math.abs(a) },
  145: { takes: 1, result: ([a]) => Number(a === 0) },
  146: { takes: 1, result: ([a]) => Number(a !== 0) },
  147: { takes: 2, result: ([a = 0, b = 0]) => a + b },
  148: { takes: 2, result: ([a = 0, b = 0]) => a - b },
  154: { takes: 2, result: compared((a, b) => a !== 0 && b !== 0) },
  155: { takes: 2, result: compared((a, b) => a !== 0 || b !== 0) },
  156: { takes: 2, result: compared((a, b) => a === b) },
  158: { takes: 2, result: compared((a, b) => a !== b) },
  159: { takes: 2, result: compared((a, b) => a < b) },
  160: { takes: 2, result: compared((a, b) => a > b) },
  161: { takes: 2, result: compared((a, b) => a <= b) },
  162: { takes: 2, result: compared((a, b) => a >= b) },
  163: { takes: 2, result: ([a = 0, b = 0]) => Math.min(a, b) },
  164: { takes: 2, result: ([a = 0, b = 0]) => Math.max(a, b) },
  165: { takes: 3, result: ([a = 0, least = 0, most = 0]) => Number(a >= least && a < most) },
}

/** Opcodes of ARITHMETIC that true, false and their other operand satisfy if any number does. */
export const BOOLEAN: readonly number[] = [145, 146, 154, 155, 156, 158]

/** Null for an operand that is no number. */
export function calculated(opcode: number, values: readonly Uint8Array[]): Uint8Array | null {
  const numbers = values.map((value) => numberOf(value, NUMBER_BYTES))
  if (numbers.includes(null)) return null
  const result = ARITHMETIC[opcode]?.result(numbers.map((number) => number ?? 0))
  return result === undefined ? null : numberValue(result)
}

export const HASHES: Readonly<Record<number, (value: Uint8Array) => Uint8Array>> = {
  166: crypto.ripemd160,
  167: crypto.sha1,
  168: crypto.sha256,
  169: crypto.hash160,
  170: crypto.hash256,
}

export const equalValue = (one: Uint8Array, other: Uint8Array): Uint8Array =>
  booleanValue(isSame(one, other))
