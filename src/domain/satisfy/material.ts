import type { PsbtInput } from '../psbt/input-signatures.ts'
import type { Pair } from '../psbt/key-value-maps.ts'
import { instructionsOf, valuePushed } from '../script/script-instructions.ts'
import { hexOf } from '../script/script-template.ts'
import { ecdsaSignature, type Signature, taprootSignature } from '../script/sighash.ts'
import { MAX_WITNESS_ITEM_BYTES } from '../script/witness-standard.ts'
import type { Budget, Machine } from './run.ts'
import { isSame } from './script-value.ts'
import type { SpendWay } from './spend-ways.ts'
import { HASHES } from './value-ops.ts'

/** BIP174: RIPEMD160, SHA256, HASH160 and HASH256 preimages, by the hash in the key. */
const PREIMAGES = [0x0a, 0x0b, 0x0c, 0x0d]
const MAX_PUSH_BYTES = 520
/** A signature that is checked, in instructions: for a place in a tapscript its transaction is read again. */
const WORK_OF_CHECK = { plain: 32, separated: 128 }

/** Is this signature, of this sighash, valid for the key at this point of the script? */
export type SignatureTest = (way: SpendWay, signed: TestedSignature) => boolean

export interface TestedSignature {
  bytes: Uint8Array
  read: Signature
  key: Uint8Array
  /** Where the script that it signs begins (OP_CODESEPARATOR), bytes. */
  separator: number
}

export interface MachineParts {
  way: SpendWay
  input: PsbtInput
  /** The fields of the input. */
  map: readonly Pair[]
  transaction: Machine['transaction']
  isUsed: (sighash: number) => boolean
  test: SignatureTest
  budget: Budget
  /** Default: no. */
  takesLongKeys?: boolean
}

/** The machine that looks for a witness; null for bytes that are no script, or not relayed. */
export function machineFor(parts: MachineParts): Machine | null {
  const { way, input, map, transaction, budget } = parts
  const instructions = instructionsOf(way.script)
  if (!instructions || (way.version === 'tapscript' && instructions.some(isReserved))) return null
  const verifies = tester(parts)
  const most = way.version === 'base' ? MAX_PUSH_BYTES : MAX_WITNESS_ITEM_BYTES
  const preimages = map
    .filter(({ type, value }) => PREIMAGES.includes(type) && value.length <= most)
    .map(({ value }) => value)
  const keys = keysOf(way, input)
  const signatures = way.signatures.map(({ signature }) => signature)
  return {
    version: way.version,
    instructions,
    overhead: way.overhead,
    budget,
    isOpen: true,
    takesLongKeys: parts.takesLongKeys ?? false,
    verifies,
    signatureBy: (key, separator) =>
      way.signatures.find((one) => isSame(one.key, key) && verifies(one.signature, key, separator))
        ?.signature ?? null,
    material: [...preimages, ...signatures, ...keys],
    preimages,
    constants: constantsOf(instructions),
    digestOf: digests(),
    keys,
    transaction,
    isUnknown: false,
  }
}

/** Each signature is tested once for each key and place. */
function tester({ way, isUsed, test, budget }: MachineParts): Machine['verifies'] {
  const known = new Map<string, boolean>()
  return (bytes, key, separator) => {
    const read = way.version === 'tapscript' ? taprootSignature(bytes) : ecdsaSignature(bytes)
    if (!read || !isUsed(read.sighash)) return false
    const name = `${separator} ${Buffer.from(key).toString('hex')} ${Buffer.from(bytes).toString('hex')}`
    const isKnown = known.get(name)
    if (isKnown !== undefined) return isKnown
    const isSeparated = separator > 0 && way.version === 'tapscript'
    budget.work -= isSeparated ? WORK_OF_CHECK.separated : WORK_OF_CHECK.plain
    const isValid = test(way, { bytes, read, key, separator })
    known.set(name, isValid)
    return isValid
  }
}

/** Each value is hashed once by each opcode. */
function digests(): Machine['digestOf'] {
  const known = new Map<number, WeakMap<Uint8Array, Uint8Array>>()
  return (opcode, value) => {
    const ofOpcode = known.get(opcode) ?? new WeakMap<Uint8Array, Uint8Array>()
    known.set(opcode, ofOpcode)
    const digest = ofOpcode.get(value) ?? HASHES[opcode]?.(value)
    if (digest) ofOpcode.set(value, digest)
    return digest ?? null
  }
}

/**
 * The keys that signed, and further keys that the PSBT names: the script may have a hash of one.
 */
function keysOf({ version, signatures }: SpendWay, input: PsbtInput): Uint8Array[] {
  const named = version === 'tapscript' ? input.tapBip32Derivation : input.bip32Derivation
  const all = [...signatures.map(({ key }) => key), ...(named ?? []).map(({ pubkey }) => pubkey)]
  return all.filter((key, at) => all.findIndex((other) => isSame(other, key)) === at)
}

/** Longer ones are keys and hashes, which no script wants as an item. */
const MAX_CONSTANT_BYTES = 5

function constantsOf(instructions: Machine['instructions']): Uint8Array[] {
  const values = new Map<string, Uint8Array>()
  for (const instruction of instructions) {
    const value = valuePushed(instruction)
    if (value && value.length <= MAX_CONSTANT_BYTES) values.set(hexOf(value), value)
  }
  return [...values.values()]
}

/** OP_SUCCESSx (BIP342): nodes do not relay a script with one. */
function isReserved(instruction: Machine['instructions'][number]): boolean {
  if ('push' in instruction) return false
  const { opcode } = instruction
  return (
    opcode === 0x50 ||
    opcode === 0x62 ||
    (opcode >= 0x7e && opcode <= 0x81) ||
    (opcode >= 0x83 && opcode <= 0x86) ||
    (opcode >= 0x89 && opcode <= 0x8a) ||
    (opcode >= 0x8d && opcode <= 0x8e) ||
    (opcode >= 0x95 && opcode <= 0x99) ||
    (opcode >= 0xbb && opcode <= 0xfe)
  )
}
