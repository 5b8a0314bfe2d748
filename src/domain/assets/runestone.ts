import { bytesOf, hexOf } from '../script/script-template.ts'
import { POINTER, type Runestone, runestoneOf } from './rune-message.ts'

/** Where the runes that a transaction spends may end up. */
export type RuneLanding = { kind: 'outputs'; indexes: number[] } | { kind: 'burned' }

/** OP_RETURN, OP_13. */
const MAGIC = /^6a5d/
const OP_RETURN = /^6a/
const MAGIC_BYTES = 2
const OP_PUSHDATA1 = 0x4c
const OP_PUSHDATA4 = 0x4e
const MAX_U128 = (1n << 128n) - 1n
const MAX_VARINT_BYTES = 19

const CENOTAPH: Runestone = { kind: 'cenotaph' }

/** Every output that runes of a transaction's inputs may go to, whichever runes they are. */
export function runeLanding(outputScriptsHex: readonly string[]): RuneLanding {
  const runestone = readRunestone(outputScriptsHex)
  if (runestone?.kind === 'cenotaph') return { kind: 'burned' }
  const payable = [...outputScriptsHex.entries()].flatMap(([index, script]) =>
    OP_RETURN.test(script) ? [] : [index],
  )
  const rest = runestone?.pointer ?? payable[0]
  if (rest === undefined) return { kind: 'burned' }
  const moved = (runestone?.edictOutputs ?? []).flatMap((output) =>
    output === outputScriptsHex.length ? payable : [output],
  )
  const indexes = [...new Set([...moved, rest])]
  return indexes.every((index) => payable.includes(index))
    ? { kind: 'outputs', indexes }
    : { kind: 'burned' }
}

/** The script of a message that sends every rune to one output, below 128 (ord, `Runestone::encipher`). */
export const pointerScript = (output: number): string =>
  hexOf(Uint8Array.of(0x6a, 0x5d, 2, Number(POINTER), output))

/** The message in the first output that carries one; null where there is none. */
export function readRunestone(outputScriptsHex: readonly string[]): Runestone | null {
  const carrier = outputScriptsHex.find((script) => MAGIC.test(script))
  if (carrier === undefined) return null
  const payload = payloadOf(bytesOf(carrier))
  const integers = payload && varints(payload)
  return integers ? runestoneOf(integers, outputScriptsHex.length) : CENOTAPH
}

/** The data pushes after the magic; null if anything else is among them, or one is cut short. */
function payloadOf(script: Uint8Array): Uint8Array | null {
  const bytes = Buffer.from(script)
  const pushes: Uint8Array[] = []
  for (let at = MAGIC_BYTES; at < bytes.length; ) {
    const opcode = bytes.readUInt8(at)
    if (opcode > OP_PUSHDATA4) return null
    at += 1
    const width = opcode < OP_PUSHDATA1 ? 0 : 1 << (opcode - OP_PUSHDATA1)
    if (at + width > bytes.length) return null
    const length = width === 0 ? opcode : bytes.readUIntLE(at, width)
    at += width
    if (at + length > bytes.length) return null
    pushes.push(bytes.subarray(at, at + length))
    at += length
  }
  return Buffer.concat(pushes)
}

/** Base-128 integers, least significant first; null for one that is cut short or above 128 bits. */
function varints(bytes: Uint8Array): bigint[] | null {
  const integers: bigint[] = []
  for (let at = 0; at < bytes.length; ) {
    let value = 0n
    let byte = 0x80
    for (let n = 0; byte & 0x80; n += 1, at += 1) {
      if (at >= bytes.length || n >= MAX_VARINT_BYTES) return null
      byte = bytes[at] ?? 0
      value |= BigInt(byte & 0x7f) << BigInt(7 * n)
    }
    if (value > MAX_U128) return null
    integers.push(value)
  }
  return integers
}
