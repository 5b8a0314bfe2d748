import { script as bitcoinScript } from 'bitcoinjs-lib'
import type { PsbtMaps } from './key-value-maps.ts'
import { invalidPsbt } from './psbt-refused.ts'

const PARTIAL_SIG = 0x02

/**
 * BIP174, PSBT_IN_PARTIAL_SIG: the signature "as would be pushed to the stack", DER with a sighash
 * byte. The parsers take any bytes; nodes refuse the PSBT.
 *
 * @throws PsbtRefusedError
 */
export function checkPartialSignatures({ inputs }: Pick<PsbtMaps, 'inputs'>): void {
  const isRefused = inputs.some((map) =>
    map.some(
      ({ type, value }) => type === PARTIAL_SIG && !bitcoinScript.isCanonicalScriptSignature(value),
    ),
  )
  if (isRefused) throw invalidPsbt('a partial signature is not DER with a defined sighash byte')
}
