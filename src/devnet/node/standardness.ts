import { instructionsOf, numberPushed } from '../../domain/script/script-instructions.ts'
import { hexOf, P2SH, P2TR, P2WPKH, P2WSH } from '../../domain/script/script-template.ts'
import { isStandardWitness } from '../../domain/script/witness-standard.ts'
import { type Coin, isOutsideUtxoSet } from './consensus.ts'
import type { Tx } from './tx.ts'

const MAX_STANDARD_VERSION = 3
const MAX_STANDARD_WEIGHT = 400_000
const MIN_NONWITNESS_BYTES = 65
const MAX_SCRIPTSIG_BYTES = 1650
const MAX_DATACARRIER_BYTES = MAX_STANDARD_WEIGHT / 4
const MAX_DUST_OUTPUTS = 1
const DUST_RELAY_SATS_PER_KVB = 3_000n
const WITNESS_SPEND_VBYTES = 67
const LEGACY_SPEND_VBYTES = 148
const OP_RETURN = 0x6a
const MAX_BARE_KEYS = 3

const P2PKH = /^76a914[0-9a-f]{40}88ac$/
const P2PK = /^(?:21[0-9a-f]{66}|41[0-9a-f]{130})ac$/
const P2A = '51024e73'
/** A version opcode and one push of 2 to 40 bytes that ends the script (BIP141). */
const WITNESS_PROGRAM = /^(?:00|5[1-9a-f]|60)([0-9a-f]{2})((?:[0-9a-f]{2}){2,40})$/
const BARE_MULTISIG = /^5([1-3])((?:21[0-9a-f]{66}|41[0-9a-f]{130})+)5([1-3])ae$/

/** Core `IsStandardTx` and the minimum size: the reject reason, or null. */
export function nonstandard({ raw }: Tx): string | null {
  if (raw.version < 1 || raw.version > MAX_STANDARD_VERSION) return 'version'
  if (raw.weight() > MAX_STANDARD_WEIGHT) return 'tx-size'
  for (const { script } of raw.ins) {
    if (script.length > MAX_SCRIPTSIG_BYTES) return 'scriptsig-size'
    if (!isPushOnly(script)) return 'scriptsig-not-pushonly'
  }
  let carried = 0
  for (const { script } of raw.outs) {
    if (!isStandardOutput(script)) return 'scriptpubkey'
    if (script[0] === OP_RETURN) carried += script.length
    if (carried > MAX_DATACARRIER_BYTES) return 'datacarrier'
  }
  if (dustOutputs(raw.outs) > MAX_DUST_OUTPUTS) return 'dust'
  return raw.byteLength(false) < MIN_NONWITNESS_BYTES ? 'tx-size-small' : null
}

/** How many outputs cost more to spend than they hold. */
export const dustOutputs = (outputs: readonly { script: Uint8Array; value: bigint }[]): number =>
  outputs.filter(({ script, value }) => !isOutsideUtxoSet(script) && value < dustThreshold(script))
    .length

/** Core `GetDustThreshold`: three times the relay fee of the output and of the input that spends it. */
function dustThreshold(script: Uint8Array): bigint {
  const outputBytes = 8 + (script.length < 253 ? 1 : 3) + script.length
  const spendVbytes = isWitnessProgram(hexOf(script)) ? WITNESS_SPEND_VBYTES : LEGACY_SPEND_VBYTES
  return (BigInt(outputBytes + spendVbytes) * DUST_RELAY_SATS_PER_KVB) / 1000n
}

/** Core `ValidateInputsStandardness` and `IsWitnessStandard`: the reject reason, or null. */
export function nonstandardInputs({ raw }: Tx, coins: readonly Coin[]): string | null {
  const scripts = coins.map(({ script }) => hexOf(script))
  if (!scripts.every(isSpendableAsStandard)) return 'bad-txns-nonstandard-inputs'
  const bloated = raw.ins.some(
    ({ script, witness }, index) =>
      witness.length > 0 && !isStandardWitness(witness, scripts[index] ?? '', script),
  )
  return bloated ? 'bad-witness-nonstandard' : null
}

/** Any version, even one without rules yet (unlike what the domain allows to be sold). */
function isWitnessProgram(hex: string): boolean {
  const [, length, program] = WITNESS_PROGRAM.exec(hex) ?? []
  return length !== undefined && Number.parseInt(length, 16) * 2 === program?.length
}

const isPushOnly = (script: Uint8Array): boolean =>
  (instructionsOf(script) ?? [{ opcode: 0xff }]).every(
    (instruction) => 'push' in instruction || numberPushed(instruction.opcode) !== null,
  )

function isStandardOutput(script: Uint8Array): boolean {
  if (script[0] === OP_RETURN) return isPushOnly(script.subarray(1))
  const hex = hexOf(script)
  if (isWitnessProgram(hex)) return !hex.startsWith('00') || P2WPKH.test(hex) || P2WSH.test(hex)
  return P2PKH.test(hex) || P2SH.test(hex) || P2PK.test(hex) || isBareMultisig(hex)
}

function isBareMultisig(hex: string): boolean {
  const [, required, keys, total] = BARE_MULTISIG.exec(hex) ?? []
  if (!required || !keys || !total) return false
  const count = keys.replaceAll(/21[0-9a-f]{66}|41[0-9a-f]{130}/g, '.').length
  return count === Number(total) && count <= MAX_BARE_KEYS && Number(required) <= count
}

/** Witness programs whose rules are not yet known may be paid, not spent. */
const isSpendableAsStandard = (hex: string): boolean =>
  P2TR.test(hex) ||
  hex === P2A ||
  (isStandardOutput(Buffer.from(hex, 'hex')) && !(isWitnessProgram(hex) && !hex.startsWith('00')))
