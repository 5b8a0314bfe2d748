import { ByteReader, compactSize } from './byte-reader.ts'
import type { Pair, PsbtMaps } from './key-value-maps.ts'
import { checkParsingCost } from './parsing-cost.ts'
import type { PsbtLimits } from './psbt-limits.ts'
import { accepted, invalidPsbt, psbtTooLarge } from './psbt-refused.ts'

/** `psbt`, ff. */
const MAGIC = Uint8Array.of(0x70, 0x73, 0x62, 0x74, 0xff)

export const GLOBAL = {
  unsignedTx: 0x00,
  inputCount: 0x04,
  outputCount: 0x05,
  version: 0xfb,
} as const

export const INPUT = { finalScriptSig: 0x07, finalScriptWitness: 0x08 } as const

/**
 * Reads the frame of a PSBT, and refuses oversized ones before any parser sees them. Cheap: one
 * pass, keys and scripts are not decoded.
 *
 * @throws PsbtRefusedError
 */
export const readPsbtMaps = (bytes: Uint8Array, limits: PsbtLimits): PsbtMaps =>
  accepted(() => readMaps(bytes, limits))

export function writePsbtMaps({ global, inputs, outputs }: Omit<PsbtMaps, 'version'>): Uint8Array {
  const pairs = [global, ...inputs, ...outputs].flatMap((map) => [
    ...map.flatMap(({ key, value }) => [
      compactSize(key.length),
      key,
      compactSize(value.length),
      value,
    ]),
    Uint8Array.of(0),
  ])
  return Uint8Array.from(Buffer.concat([MAGIC, ...pairs]))
}

export const fieldOf = (map: readonly Pair[], type: number): Uint8Array | undefined =>
  map.find((pair) => pair.type === type && pair.key.length === 1)?.value

function readMaps(bytes: Uint8Array, limits: PsbtLimits): PsbtMaps {
  const reader = new ByteReader(bytes)
  if (Buffer.compare(reader.take(MAGIC.length), MAGIC) !== 0) {
    throw invalidPsbt('the bytes do not begin as a PSBT does')
  }
  const budget = { pairs: limits.pairs }
  const global = readMap(reader, budget)
  const version = readVersion(global)
  const counts = version === 0 ? countsOfTransaction(global) : countsOfGlobal(global)
  checkCount('inputs', counts.inputs, limits.inputs)
  checkCount('outputs', counts.outputs, limits.outputs)
  const inputs = Array.from({ length: counts.inputs }, () => readMap(reader, budget))
  const outputs = Array.from({ length: counts.outputs }, () => readMap(reader, budget))
  if (!reader.isAtEnd) throw invalidPsbt('bytes follow the end of the PSBT')
  checkParsingCost({ global, inputs, outputs }, limits)
  return { version, global, inputs, outputs }
}

function readMap(reader: ByteReader, budget: { pairs: number }): Pair[] {
  const map: Pair[] = []
  const seen = new Set<string>()
  for (let key = reader.slice(); key.length > 0; key = reader.slice()) {
    if (budget.pairs === 0) throw psbtTooLarge('the PSBT has too many fields')
    budget.pairs -= 1
    const name = Buffer.from(key).toString('latin1')
    if (seen.has(name)) throw invalidPsbt('the PSBT has the same key twice in one map')
    seen.add(name)
    map.push({ type: new ByteReader(key).compactSize(), key, value: reader.slice() })
  }
  return map
}

function readVersion(global: readonly Pair[]): 0 | 2 {
  const value = fieldOf(global, GLOBAL.version)
  if (value === undefined) return 0
  const version = value.length === 4 ? Buffer.from(value).readUInt32LE(0) : null
  if (version !== 0 && version !== 2) throw invalidPsbt('the PSBT is neither version 0 nor 2')
  return version
}

interface Counts {
  inputs: number
  outputs: number
}

/** BIP174: an unsigned transaction without witnesses, every scriptSig empty. */
function countsOfTransaction(global: readonly Pair[]): Counts {
  const bytes = fieldOf(global, GLOBAL.unsignedTx)
  if (!bytes) throw invalidPsbt('the PSBT has no unsigned transaction')
  const reader = new ByteReader(bytes)
  reader.take(4)
  const inputs = reader.compactSize()
  for (let at = 0; at < inputs; at += 1) {
    reader.take(36)
    if (reader.compactSize() > 0) throw invalidPsbt('the unsigned transaction carries a scriptSig')
    reader.take(4)
  }
  const outputs = reader.compactSize()
  for (let at = 0; at < outputs; at += 1) {
    reader.take(8)
    reader.slice()
  }
  reader.take(4)
  if (!reader.isAtEnd)
    throw invalidPsbt('the unsigned transaction is not in the form without witnesses')
  return { inputs, outputs }
}

/** BIP370. */
function countsOfGlobal(global: readonly Pair[]): Counts {
  const count = (type: number, name: string): number => {
    const value = fieldOf(global, type)
    if (!value) throw invalidPsbt(`the PSBT of version 2 does not state its number of ${name}`)
    return new ByteReader(value).compactSize()
  }
  return {
    inputs: count(GLOBAL.inputCount, 'inputs'),
    outputs: count(GLOBAL.outputCount, 'outputs'),
  }
}

function checkCount(name: 'inputs' | 'outputs', count: number, limit: number): void {
  if (count === 0) throw invalidPsbt(`the PSBT has no ${name}`)
  if (count > limit) throw psbtTooLarge(`the PSBT has ${count} ${name}: the limit is ${limit}`)
}
