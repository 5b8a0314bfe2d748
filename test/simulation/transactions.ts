import { createHash } from 'node:crypto'
import { parseOutpoint } from '../../src/domain/chain/outpoint.ts'
import type { Transaction } from '../../src/ports/authorities/full-node.ts'
import type { TxOut } from '../../src/schemas/scalars.ts'
import { toOutpointText, toTxid } from '../support/ids.ts'

/** A transaction with what it spends and makes, so that its bytes need not be parsed. */
export interface SimTransaction extends Transaction {
  inputs: readonly string[]
  outputs: readonly TxOut[]
  isCoinbase: boolean
}

const SEQUENCE = 0xfffffffd

/** In the network's own serialisation, unsigned: signatures are not checked here. */
export function transactionOf(
  inputs: readonly string[],
  outputs: readonly TxOut[],
  salt: number,
): SimTransaction {
  const parts = [u32(2), Buffer.of(inputs.length)]
  for (const text of inputs) {
    const { txid, vout } = parseOutpoint(toOutpointText(text))
    parts.push(Buffer.from(txid, 'hex').reverse(), u32(vout), Buffer.of(0), u32(SEQUENCE))
  }
  parts.push(...serialised(outputs), u32(salt))
  return named(Buffer.concat(parts), inputs, outputs, false)
}

/** Makes coins out of nothing; the salt makes each one different. */
export function coinbaseOf(outputs: readonly TxOut[], salt: number): SimTransaction {
  const parts = [u32(2), Buffer.of(1), Buffer.alloc(32), u32(0xffffffff)]
  parts.push(Buffer.of(4), u32(salt), u32(0xffffffff), ...serialised(outputs), u32(0))
  return named(Buffer.concat(parts), [], outputs, true)
}

function serialised(outputs: readonly TxOut[]): Buffer[] {
  return [
    Buffer.of(outputs.length),
    ...outputs.flatMap(({ valueSats, scriptHex }) => {
      const value = Buffer.alloc(8)
      value.writeBigUInt64LE(BigInt(valueSats))
      const script = Buffer.from(scriptHex, 'hex')
      return [value, Buffer.of(script.length), script]
    }),
  ]
}

function named(
  raw: Buffer,
  inputs: readonly string[],
  outputs: readonly TxOut[],
  isCoinbase: boolean,
): SimTransaction {
  const txid = toTxid(sha256(sha256(raw)).reverse().toString('hex'))
  return { txid, hex: raw.toString('hex'), inputs, outputs, isCoinbase }
}

const sha256 = (data: Uint8Array): Buffer => createHash('sha256').update(data).digest()

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
