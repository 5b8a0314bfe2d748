import type { Instruction } from '../script/script-instructions.ts'
import { hexOf } from '../script/script-template.ts'

/**
 * How much may still be done: what a stranger's script may cost is bounded. An instruction costs 1,
 * a run that is copied and a signature that is checked more.
 */
export interface Budget {
  work: number
}

/** An item of the stack: its bytes, or the place of a witness item that is not chosen yet. */
export type Item = Uint8Array | number

/** A run of a script up to some instruction. A step copies it first. */
export interface Run {
  /** The next instruction. */
  at: number
  stack: Item[]
  alt: Item[]
  /** For each open IF: whether this branch is executed. */
  branches: boolean[]
  /** The witness items that the run has taken, from the top down; null: not chosen yet. */
  taken: (Uint8Array | null)[]
  /** Where the last executed OP_CODESEPARATOR ends, bytes. */
  separator: number
  /** Bytes of the items chosen so far, with their lengths. */
  cost: number
  signatures: number
  operations: number
}

/** Witness items to choose at once, each by its place in `taken`. */
export type Choice = readonly (readonly [place: number, value: Uint8Array])[]

/** What a script may be satisfied with, and what it may ask about its transaction. */
export interface Machine {
  version: 'base' | 'witness-v0' | 'tapscript'
  instructions: readonly Instruction[]
  /** Bytes of the witness besides the items that the script is given. */
  overhead: number
  budget: Budget
  /** May the run take items that are not on the stack at its start? */
  isOpen: boolean
  /** Are uncompressed keys taken, which blocks may have and no node relays (BIP143)? */
  takesLongKeys: boolean
  /** The signature by this key; null where there is none that may be used. */
  signatureBy(key: Uint8Array, separator: number): Uint8Array | null
  verifies(signature: Uint8Array, key: Uint8Array, separator: number): boolean
  /** Everything that an item may be of which only the length is asked. */
  material: readonly Uint8Array[]
  preimages: readonly Uint8Array[]
  /** The numbers and short values that the script pushes. */
  constants: readonly Uint8Array[]
  digestOf(opcode: number, value: Uint8Array): Uint8Array | null
  keys: readonly Uint8Array[]
  transaction: { version: number; locktime: number; sequence: number }
  /** Set when a script cannot be followed: another judge may. */
  isUnknown: boolean
}

/** A step is done, needs one of some choices, or fails the script. */
export type Stepped =
  | { status: 'done' | 'failed' }
  | { status: 'choose'; choices: readonly Choice[] }

export const DONE: Stepped = { status: 'done' }
export const FAILED: Stepped = { status: 'failed' }
export const choose = (choices: readonly Choice[]): Stepped => ({ status: 'choose', choices })

/** The script fails here, since what it would need is not followed: another judge may know. */
export function unknown(machine: Machine): Stepped {
  machine.isUnknown = true
  return FAILED
}

export const copyOf = (run: Run): Run => ({
  ...run,
  stack: [...run.stack],
  alt: [...run.alt],
  branches: [...run.branches],
  taken: [...run.taken],
})

/** Items that cost as much to copy as an instruction to run. */
const ITEMS_PER_WORK = 32

/** What it costs to copy this run, and to tell it from others. */
export const workOfCopy = ({ stack, alt, branches, taken }: Run): number =>
  1 + Math.floor((stack.length + alt.length + branches.length + taken.length) / ITEMS_PER_WORK)

/** Core MAX_STACK_SIZE, which a witness may not exceed either. */
export const MAX_ITEMS = 1_000

/** Makes the stack at least this deep with witness items that are still to be chosen. */
export function deepen(run: Run, depth: number, { isOpen }: Machine): boolean {
  while (isOpen && run.stack.length < depth && run.taken.length < MAX_ITEMS) {
    run.stack.unshift(run.taken.length)
    run.taken.push(null)
  }
  return run.stack.length >= depth
}

/** The run with these items chosen wherever they lie. */
export function withChoice(run: Run, choice: Choice): Run {
  const chosen = copyOf(run)
  for (const [place, value] of choice) {
    const put = (item: Item): Item => (item === place ? value : item)
    chosen.stack = chosen.stack.map(put)
    chosen.alt = chosen.alt.map(put)
    chosen.taken[place] = value
    chosen.cost += sized(value)
  }
  return chosen
}

/** Bytes of an item in a witness. */
export const sized = ({ length }: Uint8Array): number => length + (length < 0xfd ? 1 : 3)

/** Two runs with the same text have the same future: the cheaper one suffices. */
export function futures(): (run: Run) => string {
  const names = new Map<string, string>()
  // Values are shared by runs: each is looked up once.
  const known = new WeakMap<Uint8Array, string>()
  const nameOf = (value: Uint8Array): string => {
    const bytes = hexOf(value)
    const name = names.get(bytes) ?? names.size.toString(36)
    names.set(bytes, name)
    known.set(value, name)
    return name
  }
  return ({ at, stack, alt, branches, separator, signatures }) => {
    const places = new Map<number, number>()
    const textOf = (item: Item): string => {
      if (typeof item !== 'number') return known.get(item) ?? nameOf(item)
      const place = places.get(item) ?? places.size
      places.set(item, place)
      return `?${place}`
    }
    const items = [...stack.map(textOf), '/', ...alt.map(textOf)]
    return [at, separator, signatures > 0, branches.map(Number).join(''), ...items].join(' ')
  }
}
