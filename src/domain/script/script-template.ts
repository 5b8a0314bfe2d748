/** The scripts whose rules the service implements itself. */
export const P2TR = /^5120([0-9a-f]{64})$/
export const P2WPKH = /^0014([0-9a-f]{40})$/
export const P2WSH = /^0020([0-9a-f]{64})$/
export const P2SH = /^a914([0-9a-f]{40})87$/
export const P2PKH = /^76a914([0-9a-f]{40})88ac$/

/** OP_m, compressed keys, OP_n, OP_CHECKMULTISIG: 51 to 60 are OP_1 to OP_16, 61 is no number. */
const MULTISIG = /^(5[1-9a-f]|60)((?:210[23][0-9a-f]{64})+)(5[1-9a-f]|60)ae$/
const OP_1 = 0x51
const KEY_PUSH_HEX = 68

export interface Multisig {
  required: number
  /** Compressed keys in script order. */
  keys: Uint8Array[]
}

export const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
export const bytesOf = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'))

/** Reads a multisig script of up to 16 compressed keys; null for any other script. */
export function readMultisig(script: Uint8Array): Multisig | null {
  const [, m, pushes, n] = MULTISIG.exec(hexOf(script)) ?? []
  if (m === undefined || pushes === undefined || n === undefined) return null
  const required = numberOf(m)
  const keys = Array.from({ length: pushes.length / KEY_PUSH_HEX }, (_, at) =>
    bytesOf(pushes.slice(at * KEY_PUSH_HEX + 2, (at + 1) * KEY_PUSH_HEX)),
  )
  if (keys.length !== numberOf(n) || required > keys.length) return null
  return { required, keys }
}

const numberOf = (opcode: string): number => Number.parseInt(opcode, 16) - OP_1 + 1

/** The witness program that a P2SH input's scriptSig reveals: exactly one push, of a 22 or 34 byte program. */
export function nestedProgram(scriptSig: Uint8Array): string | null {
  const [length] = scriptSig
  if (length !== scriptSig.length - 1) return null
  const program = hexOf(scriptSig.subarray(1))
  return P2WPKH.test(program) || P2WSH.test(program) ? program : null
}
