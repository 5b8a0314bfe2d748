import type { RawTransaction } from '../domain/chain/raw-block.ts'
import { MAX_MEMBERS, MIN_MEMBERS } from '../schemas/api/circles.ts'
import type { OutpointText, TxOut } from '../schemas/scalars.ts'

/** OP_RETURN and a 37-byte push: `CIRC`, version 1; the context hash follows. */
export const MARK = Buffer.from('6a254349524301', 'hex')
const MARK_LENGTH = MARK.length + 32
/** OP_1 and a 32-byte push; the key follows. */
const P2TR = Buffer.from('5120', 'hex')
const P2TR_LENGTH = P2TR.length + 32

/** The content of a circle and of the outputs it spends; slot i joins input i to output i. */
export interface CircleReading {
  contextHash: string
  slots: readonly SlotReading[]
  feeSats: bigint
}

export interface SlotReading {
  inputOutpoint: OutpointText
  inputValueSats: bigint
  outputValueSats: bigint
  scriptHex: string
}

/**
 * The rules that need only the transaction: not a coinbase, n inputs (2 to 16), n P2TR outputs and
 * the mark. The cheapest are checked first, as nearly every transaction fails one of them.
 */
export function looksLikeCircle(transaction: RawTransaction): boolean {
  const { index, inputs, outputs } = transaction
  if (index === 0 || inputs < MIN_MEMBERS || inputs > MAX_MEMBERS) return false
  if (outputs !== inputs + 1 || !isMark(transaction.script(inputs))) return false
  if (transaction.valueSats(inputs) !== 0n) return false
  for (let slot = 0; slot < inputs; slot++) {
    if (!startsAndFits(transaction.script(slot), P2TR, P2TR_LENGTH)) return false
  }
  return true
}

/**
 * The rest of the rules, for a transaction that looks like a circle: every input spends a P2TR
 * output, and no output exceeds the input of its slot. Null: it is not a circle.
 * @param spent the outputs its inputs spend, in input order
 */
export function readCircle(
  transaction: RawTransaction,
  spent: readonly TxOut[],
): CircleReading | null {
  if (spent.length !== transaction.inputs) {
    throw new Error(`${transaction.txid} has ${transaction.inputs} inputs, not ${spent.length}`)
  }
  const slots: SlotReading[] = []
  let feeSats = 0n
  for (const [slot, { valueSats, scriptHex }] of spent.entries()) {
    if (!startsAndFits(Buffer.from(scriptHex, 'hex'), P2TR, P2TR_LENGTH)) return null
    const inputValueSats = BigInt(valueSats)
    const outputValueSats = transaction.valueSats(slot)
    if (inputValueSats < outputValueSats) return null
    feeSats += inputValueSats - outputValueSats
    slots.push({
      inputOutpoint: transaction.spent(slot),
      inputValueSats,
      outputValueSats,
      scriptHex: hexOf(transaction.script(slot)),
    })
  }
  const mark = transaction.script(transaction.inputs)
  return { contextHash: hexOf(mark.subarray(MARK.length)), slots, feeSats }
}

const isMark = (script: Uint8Array): boolean => startsAndFits(script, MARK, MARK_LENGTH)

const startsAndFits = (script: Uint8Array, start: Uint8Array, length: number): boolean =>
  script.length === length && start.every((byte, at) => script[at] === byte)

const hexOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')
