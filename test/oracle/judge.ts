import type { Transaction } from 'bitcoinjs-lib'
import type { InvalidReason, PairingObject } from '../../src/schemas/api/pairing.ts'
import {
  CREATE,
  type Instruction,
  type Marker,
  MOVE,
  PAIR,
  readInstruction,
  UNPAIR,
} from './marker.ts'

/** What a transaction asks for; without a marker it asks for nothing and is not invalid. */
export interface Verdict {
  opcode: number | null
  reason: InvalidReason | null
  /** Null unless it is valid. */
  instruction: Instruction | null
}

const hasDuplicate = (numbers: readonly number[]) => new Set(numbers).size < numbers.length

export const isP2wsh = (script: Uint8Array): boolean =>
  script.length === 34 && script[0] === 0x00 && script[1] === 0x20

/**
 * The reasons in the order of the page, all of them on the state before the transaction. `objectAt`
 * gives the object that an input's outpoint carries.
 */
export function judge(
  transaction: Transaction,
  markers: readonly Marker[],
  objectAt: (input: number) => PairingObject | undefined,
): Verdict {
  const [marker] = markers
  if (!marker) return { opcode: null, reason: null, instruction: null }
  if (markers.length > 1) return { opcode: null, reason: 'multiple_markers', instruction: null }
  const { opcode } = marker
  const invalid = (reason: InvalidReason) => ({ opcode, reason, instruction: null })

  if (![CREATE, MOVE, PAIR, UNPAIR].includes(opcode)) return invalid('unknown_opcode')
  const instruction = readInstruction(marker)
  if (!instruction) return invalid('malformed_body')
  const { inputs, vouts } = instruction
  const { ins, outs } = transaction
  if (inputs.some((input) => input >= ins.length)) return invalid('bad_input')
  if (hasDuplicate(inputs)) return invalid('duplicate_input')
  if (vouts.some((vout) => vout >= outs.length)) return invalid('bad_vout')
  if (hasDuplicate(vouts)) return invalid('duplicate_vout')
  if (vouts.some((vout) => !isP2wsh(outs[vout]!.script))) return invalid('not_p2wsh')
  const objects = inputs.map(objectAt)
  if (objects.some((object) => object === undefined)) return invalid('input_not_carrier')
  const isPaired = objects.map((object) => object?.pairId !== null)
  if (opcode === PAIR && isPaired.includes(true)) return invalid('already_paired')
  if (opcode === UNPAIR && isPaired.includes(false)) return invalid('not_paired')
  return { opcode, reason: null, instruction }
}
