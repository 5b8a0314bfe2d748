import type { Transaction } from 'bitcoinjs-lib'
import * as ecc from 'tiny-secp256k1'
import { checkInput, type ScriptVerdict } from '../../domain/script/script-check.ts'
import { P2TR } from '../../domain/script/script-template.ts'
import type { TxOut } from '../../schemas/scalars.ts'
import type { Coin } from './consensus.ts'
import { checkReveal } from './inscription-reveal.ts'
import type { Tx } from './tx.ts'

/** A refusal that Core would word differently: the devnet has no script interpreter. */
const UNSUPPORTED_SCRIPT = 'the devnet cannot judge this kind of script'

export const txOutOf = ({
  valueSats,
  script,
}: {
  valueSats: bigint
  script: Uint8Array
}): TxOut => ({
  valueSats: valueSats.toString(),
  scriptHex: Buffer.from(script).toString('hex'),
})

/**
 * Does this input's script run to true? A script that the domain's checker does not cover is
 * 'unsupported', except an inscription's reveal. A null prevout is unknown.
 */
export function checkScript(
  transaction: Transaction,
  inputIndex: number,
  prevouts: readonly (TxOut | null)[],
): ScriptVerdict {
  const own = prevouts[inputIndex]
  if (!own) return 'invalid'
  const checked = checkInput({ transaction, inputIndex, prevouts }, ecc)
  if (checked !== 'unsupported' || !P2TR.test(own.scriptHex)) return checked
  const known = prevouts.filter((prevout) => prevout !== null)
  return known.length === prevouts.length ? checkReveal(transaction, inputIndex, known) : checked
}

/** Checks every input. Core's script error, or null. */
export function scriptFailure({ raw }: Tx, coins: readonly Coin[]): string | null {
  const prevouts = coins.map(txOutOf)
  for (const [inputIndex, { scriptHex }] of prevouts.entries()) {
    const verdict = checkScript(raw, inputIndex, prevouts)
    if (verdict === 'unsupported') return UNSUPPORTED_SCRIPT
    if (verdict === 'invalid') return wordsFor(raw.ins[inputIndex]?.witness ?? [], scriptHex)
  }
  return null
}

/** The most common of Core's script errors for this kind of output. */
function wordsFor(witness: readonly Uint8Array[], scriptHex: string): string {
  if (witness.length === 0) return 'Witness program was passed an empty witness'
  if (P2TR.test(scriptHex)) return 'Invalid Schnorr signature'
  return 'Signature must be zero for failed CHECK(MULTI)SIG operation'
}
