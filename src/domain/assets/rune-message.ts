/** Where a transaction's message sends the runes of its inputs (ord, docs/src/runes/specification.md). */
export type Runestone =
  /** Burns all incoming runes. */
  | { kind: 'cenotaph' }
  /** It may etch or mint as well: that makes new runes, and moves none of the incoming ones. */
  | {
      kind: 'transfer'
      /** Where runes not moved by an edict go; null: to the first output that is not OP_RETURN. */
      pointer: number | null
      /** The outputs that edicts move runes to; the output count itself means all of them. */
      edictOutputs: number[]
    }

const MAX_U128 = (1n << 128n) - 1n
const MAX_U64 = (1n << 64n) - 1n
const MAX_U32 = (1n << 32n) - 1n
const EDICT_INTEGERS = 4

/** The even tags that ord takes; an even tag or value of a tag that is left over is a flaw. */
const BODY = 0n
const FLAGS = 2n
const RUNE = 4n
const PREMINE = 6n
const CAP = 8n
const AMOUNT = 10n
const HEIGHTS_AND_OFFSETS = [12n, 14n, 16n, 18n]
const MINT = 20n
export const POINTER = 22n

const ETCHING_FLAG = 1n << 0n
const TERMS_FLAG = 1n << 1n
const TURBO_FLAG = 1n << 2n

const CENOTAPH: Runestone = { kind: 'cenotaph' }

/** The values of each tag, in the order of the message. */
type Fields = Map<bigint, bigint[]>

/**
 * Reads the integers of a message as crate `ordinals` does (`Runestone::decipher`): tags with their
 * values, then edicts. Every flaw makes a cenotaph; an unknown odd tag is ignored.
 */
export function runestoneOf(integers: readonly bigint[], outputs: number): Runestone {
  const fields: Fields = new Map()
  let edictOutputs: number[] | null = []
  for (let at = 0; at < integers.length; at += 2) {
    const [tag, value] = [integers[at], integers[at + 1]]
    if (tag === BODY) {
      edictOutputs = edictTargets(integers.slice(at + 1), outputs)
      break
    }
    if (tag === undefined || value === undefined) return CENOTAPH
    fields.set(tag, [...(fields.get(tag) ?? []), value])
  }
  if (!edictOutputs || !takesEtching(fields)) return CENOTAPH
  take(fields, MINT, 2, ([block = 0n, tx = 0n]) => isRuneId(block, tx))
  const pointer = take(fields, POINTER, 1, ([output = 0n]) => output < BigInt(outputs))
  const isLeftOver = [...fields.keys()].some((tag) => tag % 2n === 0n)
  if (isLeftOver) return CENOTAPH
  return { kind: 'transfer', pointer: pointer ? Number(pointer[0]) : null, edictOutputs }
}

/** The first values of a tag, which are then gone; null, and they stay, if there are too few or they are not accepted. */
function take(
  fields: Fields,
  tag: bigint,
  count: number,
  accepts: (values: readonly bigint[]) => boolean,
): readonly bigint[] | null {
  const all = fields.get(tag) ?? []
  const values = all.slice(0, count)
  if (values.length < count || !accepts(values)) return null
  if (all.length === count) fields.delete(tag)
  else fields.set(tag, all.slice(count))
  return values
}

const anyValue = (): boolean => true
const isU64 = ([value = 0n]: readonly bigint[]): boolean => value <= MAX_U64

/** Takes the fields of an etching, if the flags name one; false for a flaw of its own. */
function takesEtching(fields: Fields): boolean {
  const [flags = 0n] = take(fields, FLAGS, 1, anyValue) ?? []
  if ((flags & ETCHING_FLAG) === 0n) return flags === 0n
  take(fields, RUNE, 1, anyValue)
  const [premine = 0n] = take(fields, PREMINE, 1, anyValue) ?? []
  const minted = flags & TERMS_FLAG ? takeTerms(fields) : 0n
  const known = ETCHING_FLAG | TERMS_FLAG | TURBO_FLAG
  return (flags & ~known) === 0n && premine + minted <= MAX_U128
}

/** What can ever be minted by the terms. */
function takeTerms(fields: Fields): bigint {
  const [cap = 0n] = take(fields, CAP, 1, anyValue) ?? []
  const [amount = 0n] = take(fields, AMOUNT, 1, anyValue) ?? []
  for (const tag of HEIGHTS_AND_OFFSETS) take(fields, tag, 1, isU64)
  return cap * amount
}

const isRuneId = (block: bigint, tx: bigint): boolean =>
  block <= MAX_U64 && tx <= MAX_U32 && (block > 0n || tx === 0n)

function edictTargets(integers: readonly bigint[], outputs: number): number[] | null {
  if (integers.length % EDICT_INTEGERS !== 0) return null
  const targets: number[] = []
  let [block, tx] = [0n, 0n]
  for (let at = 0; at < integers.length; at += EDICT_INTEGERS) {
    const [blockDelta = 0n, txDelta = 0n, , output = 0n] = integers.slice(at, at + EDICT_INTEGERS)
    tx = blockDelta === 0n ? tx + txDelta : txDelta
    block += blockDelta
    if (!isRuneId(block, tx) || output > BigInt(outputs)) return null
    targets.push(Number(output))
  }
  return targets
}
