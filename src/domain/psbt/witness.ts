import { ByteReader } from './byte-reader.ts'

/** A final witness by its form (BIP141, BIP341). */
export type FinalWitness =
  | { kind: 'key-path'; signature: Uint8Array; items: Uint8Array[] }
  /** Tapscript: the stack below the script and its control block. */
  | {
      kind: 'script-path'
      stack: Uint8Array[]
      script: Uint8Array
      control: Uint8Array
      items: Uint8Array[]
    }
  /** The stack below the key or the witness script. */
  | { kind: 'witness-v0'; stack: Uint8Array[]; items: Uint8Array[] }

const ANNEX_TAG = 0x50
const TAPSCRIPT_LEAF = 0xc0
const CONTROL_BASE_BYTES = 33
const CONTROL_NODE_BYTES = 32

/** Reads the value of PSBT_IN_FINAL_SCRIPTWITNESS; null for one that is empty or malformed. */
export function readWitness(bytes: Uint8Array): FinalWitness | null {
  const items = witnessItems(bytes)
  return items && witnessForm(items)
}

/** The form of a witness stack alone: the prevout does not matter. Null: empty. */
export function witnessForm(items: Uint8Array[]): FinalWitness | null {
  const hasAnnex = items.length > 1 && items.at(-1)?.[0] === ANNEX_TAG
  const plain = hasAnnex ? items.slice(0, -1) : items
  const [signature] = plain
  if (!signature) return null
  if (plain.length === 1) return { kind: 'key-path', signature, items }
  const [script, control] = plain.slice(-2)
  return script && control && isControlBlock(control)
    ? { kind: 'script-path', stack: plain.slice(0, -2), script, control, items }
    : { kind: 'witness-v0', stack: plain.slice(0, -1), items }
}

/** A witness stack as the network encodes it (BIP144), with no bytes left over; else null. */
export function witnessItems(bytes: Uint8Array): Uint8Array[] | null {
  const reader = new ByteReader(bytes)
  try {
    const count = reader.compactSize()
    const items: Uint8Array[] = []
    while (items.length < count) items.push(reader.slice())
    return reader.isAtEnd ? items : null
  } catch {
    return null
  }
}

// A key starts with 02, 03 or 04, and no witness script starting with opcode c0 or c1 can run.
function isControlBlock(item: Uint8Array): boolean {
  if (((item[0] ?? 0) & 0xfe) !== TAPSCRIPT_LEAF) return false
  const path = item.length - CONTROL_BASE_BYTES
  return path >= 0 && path % CONTROL_NODE_BYTES === 0
}
