import { Transaction } from 'bitcoinjs-lib'
import type { Pair } from '../../../src/domain/psbt/key-value-maps.ts'
import { ORDER_LIMITS } from '../../../src/domain/psbt/psbt-limits.ts'
import { readPsbtMaps, writePsbtMaps } from '../../../src/domain/psbt/psbt-maps.ts'

/** A PSBT of version 0, opened so that a test can put into it what no library would. */
export interface OpenPsbt {
  transaction: Transaction
  global: Pair[]
  inputs: Pair[][]
  outputs: Pair[][]
}

const UNSIGNED_TX = 0x00

/** The PSBT after a change, base64. Nothing is checked. */
export function changePsbt(psbt: string, change: (open: OpenPsbt) => void): string {
  const maps = readPsbtMaps(Buffer.from(psbt, 'base64'), ORDER_LIMITS)
  const unsignedTx = maps.global.find(({ type }) => type === UNSIGNED_TX)!
  const transaction = Transaction.fromBuffer(unsignedTx.value)
  change({ ...maps, transaction })
  unsignedTx.value = transaction.toBuffer()
  return Buffer.from(writePsbtMaps(maps)).toString('base64')
}

/** A field of a PSBT map. */
export const field = (
  type: number,
  value: Uint8Array,
  keyData: Uint8Array = new Uint8Array(),
): Pair => ({ type, key: Uint8Array.of(type, ...keyData), value })

/**
 * Appends every map of the others to those of the first: the inputs and outputs of all together.
 */
export const joinPsbts = (first: string, ...others: readonly string[]): string =>
  others.reduce(
    (joined, other) =>
      changePsbt(joined, (open) => {
        changePsbt(other, (more) => {
          open.transaction.ins.push(...more.transaction.ins)
          open.transaction.outs.push(...more.transaction.outs)
          open.inputs.push(...more.inputs)
          open.outputs.push(...more.outputs)
        })
      }),
    first,
  )
