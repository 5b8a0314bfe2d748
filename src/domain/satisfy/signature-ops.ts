import {
  type Choice,
  choose,
  DONE,
  deepen,
  FAILED,
  type Item,
  type Machine,
  type Run,
  type Stepped,
  sized,
  unknown,
} from './run.ts'
import { booleanValue, EMPTY, numberOf, numberValue } from './script-value.ts'

const XONLY_BYTES = 32
const MAX_MULTISIG_KEYS = 20
/** BIP342: each check of a signature needs this much of the witness, and 50 are free. */
export const CHECK_WEIGHT = 50

/** Core MAX_OPS_PER_SCRIPT; tapscript has no limit of operations. */
const MAX_OPERATIONS = 201

/** Counts so many operations of the run: may it have them? */
export function isCounted(run: Run, operations: number, { version }: Machine): boolean {
  run.operations += operations
  return version === 'tapscript' || run.operations <= MAX_OPERATIONS
}

const isPlace = (item: Item | undefined): item is number => typeof item === 'number'
const isChosen = (item: Item): item is Uint8Array => typeof item !== 'number'

/** OP_CHECKSIG: the signature, then its key on top. NULLFAIL: one that fails must be empty. */
export function checkSignature(run: Run, machine: Machine): Stepped {
  if (!deepen(run, 2, machine)) return FAILED
  const [signature, key] = run.stack.slice(-2)
  if (isPlace(key)) return choose(machine.keys.map((one) => [[key, one]]))
  if (signature === undefined || key === undefined || !isUsableKey(key, machine)) return FAILED
  if (isPlace(signature)) return choose(signaturesFor(signature, key, run, machine))
  const checked = verified(signature, key, run, machine)
  if (checked === null) return FAILED
  run.stack.splice(-2, 2, booleanValue(checked))
  return DONE
}

/** OP_CHECKSIGADD (BIP342): the signature, a number, and the key on top. */
export function addSignature(run: Run, machine: Machine): Stepped {
  if (machine.version !== 'tapscript' || !deepen(run, 3, machine)) return FAILED
  const [signature, count, key] = run.stack.slice(-3)
  if (isPlace(count)) return choose([[[count, EMPTY]]])
  if (isPlace(key)) return choose(machine.keys.map((one) => [[key, one]]))
  if (!key || !count || signature === undefined || !isUsableKey(key, machine)) return FAILED
  const number = numberOf(count)
  if (number === null) return FAILED
  if (isPlace(signature)) return choose(signaturesFor(signature, key, run, machine))
  const checked = verified(signature, key, run, machine)
  if (checked === null) return FAILED
  run.stack.splice(-3, 3, numberValue(number + Number(checked)))
  return DONE
}

/** OP_CHECKMULTISIG: an empty item (NULLDUMMY), signatures in the order of their keys, keys. */
export function checkSignatures(run: Run, machine: Machine): Stepped {
  const { stack } = run
  if (machine.version === 'tapscript') return FAILED
  if (!deepen(run, 1, machine)) return FAILED
  if (isPlace(stack.at(-1))) return unknown(machine)
  const total = countAt(stack, 1, MAX_MULTISIG_KEYS)
  if (total === null || !deepen(run, total + 2, machine)) return FAILED
  if (stack.slice(-total - 2).some(isPlace)) return unknown(machine)
  const required = countAt(stack, total + 2, total)
  if (required === null || !deepen(run, total + required + 3, machine)) return FAILED
  const keys = stack.slice(stack.length - total - 1, stack.length - 1)
  const end = stack.length - total - 2
  const signatures = stack.slice(end - required, end)
  const dummy = stack[end - required - 1]
  const places = [...(isPlace(dummy) ? [dummy] : []), ...signatures.filter(isPlace)]
  const known = keys.filter(isChosen)
  if (places.length > 0) return choose(signaturesOfSome(places, required, known, run, machine))
  if (isPlace(dummy) || !dummy || dummy.length > 0) return FAILED
  const all = signatures.filter(isChosen)
  const isValid = areInOrder(all, known, run, machine)
  if (isValid === null || (!isValid && all.some(({ length }) => length > 0))) return FAILED
  if (!isCounted(run, total, machine)) return FAILED
  run.signatures += isValid ? required : 0
  stack.splice(end - required - 1, total + required + 3, booleanValue(isValid))
  return DONE
}

/** The number at this depth, 1 on top; null if there is none from 0 to `most`. */
function countAt(stack: readonly Item[], depth: number, most: number): number | null {
  const item = stack.at(-depth)
  if (item === undefined || isPlace(item)) return null
  const count = numberOf(item)
  return count !== null && count >= 0 && count <= most ? count : null
}

/** The cheapest signatures that suffice, in the order of their keys; or none at all. */
function signaturesOfSome(
  places: readonly number[],
  required: number,
  keys: readonly Uint8Array[],
  { separator }: Run,
  machine: Machine,
): Choice[] {
  const none: Choice = places.map((place) => [place, EMPTY])
  // Mixed with items that are already chosen, no form of script needs it.
  if (places.length !== required + 1) {
    machine.isUnknown = true
    return [none]
  }
  const made = keys.flatMap((key, at) => {
    const signature = machine.signatureBy(key, separator)
    return signature ? [{ signature, at }] : []
  })
  const cheapest = made
    .toSorted((a, b) => sized(a.signature) - sized(b.signature) || a.at - b.at)
    .slice(0, required)
    .toSorted((a, b) => a.at - b.at)
  if (cheapest.length < required || required === 0) return [none]
  const all = [EMPTY, ...cheapest.map(({ signature }) => signature)]
  return [places.map((place, at) => [place, all[at] ?? EMPTY]), none]
}

/** As Core does, from the last: each key is tried once. Null: a key that nodes do not relay is tried. */
function areInOrder(
  signatures: readonly Uint8Array[],
  keys: readonly Uint8Array[],
  { separator }: Run,
  machine: Machine,
): boolean | null {
  const left = [...signatures]
  for (const [tried, key] of keys.toReversed().entries()) {
    const signature = left.at(-1)
    if (signature === undefined) return true
    if (!isUsableKey(key, machine)) return null
    if (machine.verifies(signature, key, separator)) left.pop()
    if (left.length > keys.length - tried - 1) return false
  }
  return left.length === 0
}

function signaturesFor(place: number, key: Uint8Array, { separator }: Run, machine: Machine) {
  const signature = machine.signatureBy(key, separator)
  const none: Choice = [[place, EMPTY]]
  return signature ? [[[place, signature] as const], none] : [none]
}

/** Null: the script fails. */
function verified(
  signature: Uint8Array,
  key: Uint8Array,
  run: Run,
  machine: Machine,
): boolean | null {
  if (signature.length === 0) return false
  if (!machine.verifies(signature, key, run.separator)) return null
  run.signatures += 1
  return true
}

/** Nodes relay no other keys (policy): compressed in witnesses, and 32 bytes in tapscript. */
function isUsableKey(key: Uint8Array, { version, takesLongKeys }: Machine): boolean {
  if (version === 'tapscript') return key.length === XONLY_BYTES
  const [first = 0] = key
  const isCompressed = key.length === 33 && (first === 2 || first === 3)
  return isCompressed || ((version === 'base' || takesLongKeys) && key.length === 65 && first === 4)
}
