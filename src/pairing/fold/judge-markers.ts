import type { InvalidReason, PairingObject } from '../../schemas/api/pairing.ts'
import { type Effect, isKnownOpcode, movesOf, readEffect, voutsOf } from './effect.ts'
import type { Marker } from './marker.ts'

/** The transaction that contains a marker, against the state before it. */
export interface Scene {
  inputs: number
  outputs: number
  script(output: number): Uint8Array
  /** The object carried by the output that an input spends; null if it is not a carrier. */
  objectOf(input: number): PairingObject | null
}

export interface Ruling {
  /** Null if there is no marker, or several. */
  opcode: number | null
  /** Why the marker is invalid; null if it is valid, or if there is none. */
  reason: InvalidReason | null
  /** What to do; null unless the marker is valid. */
  effect: Effect | null
}

/** Judges a transaction's markers as a whole; reasons are tested in order. */
export function judgeMarkers(markers: readonly Marker[], scene: Scene): Ruling {
  const [marker, ...others] = markers
  if (!marker) return { opcode: null, reason: null, effect: null }
  if (others.length > 0) return { opcode: null, reason: 'multiple_markers', effect: null }
  const { opcode } = marker
  if (!isKnownOpcode(opcode)) return { opcode, reason: 'unknown_opcode', effect: null }
  const effect = readEffect(marker)
  if (!effect) return { opcode, reason: 'malformed_body', effect: null }
  const reason = CHECKS.find(([, isBroken]) => isBroken(effect, scene))?.[0] ?? null
  return { opcode, reason, effect: reason === null ? effect : null }
}

const P2WSH_BYTES = 34

export const isP2wsh = (script: Uint8Array): boolean =>
  script.length === P2WSH_BYTES && script[0] === 0x00 && script[1] === 0x20

const hasTwice = (values: readonly number[]): boolean => new Set(values).size < values.length
const inputsOf = (effect: Effect): number[] => movesOf(effect).map(({ input }) => input)

/** The rules a well-formed marker may break, in the order they are tested. */
const CHECKS: [InvalidReason, (effect: Effect, scene: Scene) => boolean][] = [
  ['bad_input', (effect, { inputs }) => inputsOf(effect).some((input) => input >= inputs)],
  ['duplicate_input', (effect) => hasTwice(inputsOf(effect))],
  ['bad_vout', (effect, { outputs }) => voutsOf(effect).some((vout) => vout >= outputs)],
  ['duplicate_vout', (effect) => hasTwice(voutsOf(effect))],
  ['not_p2wsh', (effect, scene) => voutsOf(effect).some((vout) => !isP2wsh(scene.script(vout)))],
  [
    'input_not_carrier',
    (effect, scene) => inputsOf(effect).some((input) => scene.objectOf(input) === null),
  ],
  [
    'already_paired',
    (effect, scene) => effect.kind === 'pair' && inputsOf(effect).some(isPaired(scene)),
  ],
  [
    'not_paired',
    (effect, scene) => effect.kind === 'unpair' && !inputsOf(effect).some(isPaired(scene)),
  ],
]

const isPaired =
  (scene: Scene) =>
  (input: number): boolean =>
    scene.objectOf(input)?.pairId != null
