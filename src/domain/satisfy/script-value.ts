/** Values of the script machine: numbers (Core `CScriptNum`) and truth. */

export const EMPTY = new Uint8Array()
export const ONE = Uint8Array.of(1)

const SIGN = 0x80
/** Bytes of the operands of arithmetic; lock times may have five. */
export const NUMBER_BYTES = 4

export const isTrue = (value: Uint8Array): boolean =>
  value.some((byte, at) => byte !== 0 && !(at === value.length - 1 && byte === SIGN))

export const booleanValue = (is: boolean): Uint8Array => (is ? ONE : EMPTY)

export const isSame = (one: Uint8Array, other: Uint8Array): boolean =>
  Buffer.compare(one, other) === 0

/** Little-endian with a sign bit; null for one too long, or not in its shortest form. */
export function numberOf(value: Uint8Array, most = NUMBER_BYTES): number | null {
  if (value.length > most) return null
  const last = value.at(-1)
  if (last === undefined) return 0
  const isPadded = (last & ~SIGN) === 0 && ((value.at(-2) ?? 0) & SIGN) === 0
  if (isPadded) return null
  const size = value.reduceRight((sum, byte, at) => {
    const magnitude = at === value.length - 1 ? byte & ~SIGN : byte
    return sum * 0x100 + magnitude
  }, 0)
  return (last & SIGN) === 0 ? size : -size
}

export function numberValue(number: number): Uint8Array {
  const bytes: number[] = []
  for (let rest = Math.abs(number); rest > 0; rest = Math.floor(rest / 0x100)) {
    bytes.push(rest % 0x100)
  }
  const last = bytes.at(-1)
  if (last === undefined) return EMPTY
  const sign = number < 0 ? SIGN : 0
  if ((last & SIGN) === 0) bytes[bytes.length - 1] = last | sign
  else bytes.push(sign)
  return Uint8Array.from(bytes)
}
