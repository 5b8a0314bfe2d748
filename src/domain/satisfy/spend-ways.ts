import { script as bitcoinScript, crypto } from 'bitcoinjs-lib'
import { tapleafHash } from 'bitcoinjs-lib/src/payments/bip341'
import type { PsbtInput } from '../psbt/input-signatures.ts'
import type { FinalScripts } from '../script/final-scripts.ts'
import { bytesOf, hexOf, P2SH, P2TR, P2WPKH, P2WSH } from '../script/script-template.ts'
import { type Machine, sized } from './run.ts'
import { EMPTY } from './script-value.ts'

/** A signature of an input by the key that it is filed under. */
export interface KeySignature {
  /** 32 bytes for tapscript, else as in scripts. */
  key: Uint8Array
  signature: Uint8Array
}

/** One script by which an input may be spent, with the signatures that the PSBT has for it. */
export interface SpendWay {
  version: Machine['version']
  script: Uint8Array
  /** The leaf hash of a tapscript (BIP341). */
  leafHash: Uint8Array | null
  signatures: readonly KeySignature[]
  /** Bytes that are added to the items that satisfy the script. */
  overhead: number
  scriptsFor(items: Uint8Array[]): FinalScripts
}

const TAPSCRIPT_LEAF = 0xc0

/** Every script that the PSBT names for this output and that the output commits to. */
export function spendWays(input: PsbtInput, prevoutScriptHex: string): SpendWay[] {
  const { redeemScript } = input
  const [, outputKey] = P2TR.exec(prevoutScriptHex) ?? []
  if (outputKey !== undefined) return leaves(input)
  const [, scriptHash] = P2SH.exec(prevoutScriptHex) ?? []
  if (scriptHash === undefined) {
    return programWays(input, prevoutScriptHex, EMPTY) ?? [bare(input, bytesOf(prevoutScriptHex))]
  }
  return redeemScripts(input)
    .filter((script) => hexOf(crypto.hash160(script)) === scriptHash)
    .flatMap((script) => {
      const scriptSig = Uint8Array.of(script.length, ...script)
      return programWays(input, hexOf(script), scriptSig) ?? redeemed(input, redeemScript)
    })
}

/** The redeem script may be left out if a key or the witness script alone determines it. */
function redeemScripts({ redeemScript, witnessScript, partialSig }: PsbtInput): Uint8Array[] {
  if (redeemScript) return [redeemScript]
  const ofKeys = (partialSig ?? []).map(({ pubkey }) => `0014${hexOf(crypto.hash160(pubkey))}`)
  const ofScript = witnessScript ? [`0020${hexOf(crypto.sha256(witnessScript))}`] : []
  return [...ofKeys, ...ofScript].map(bytesOf)
}

const signaturesIn = ({ partialSig }: PsbtInput): KeySignature[] =>
  (partialSig ?? []).map(({ pubkey, signature }) => ({ key: pubkey, signature }))

/** Null for a script that is no witness program of version 0. */
function programWays(input: PsbtInput, program: string, scriptSig: Uint8Array): SpendWay[] | null {
  const [, keyHash] = P2WPKH.exec(program) ?? []
  const way = { version: 'witness-v0', leafHash: null, signatures: signaturesIn(input) } as const
  if (keyHash !== undefined) {
    const script = keyHashScript(keyHash)
    return [{ ...way, script, overhead: 0, scriptsFor: (witness) => ({ scriptSig, witness }) }]
  }
  const [, scriptHash] = P2WSH.exec(program) ?? []
  if (scriptHash === undefined) return null
  const { witnessScript: script } = input
  if (!script || hexOf(crypto.sha256(script)) !== scriptHash) return []
  const scriptsFor = (items: Uint8Array[]) => ({ scriptSig, witness: [...items, script] })
  return [{ ...way, script, overhead: script.length, scriptsFor }]
}

/** BIP143: a key hash is spent as by OP_DUP OP_HASH160 <hash> OP_EQUALVERIFY OP_CHECKSIG. */
const keyHashScript = (hash: string): Uint8Array => bytesOf(`76a914${hash}88ac`)

function bare(input: PsbtInput, script: Uint8Array, redeemScript?: Uint8Array): SpendWay {
  const last = redeemScript ? [redeemScript] : []
  return {
    version: 'base',
    script,
    leafHash: null,
    signatures: signaturesIn(input),
    overhead: script.length,
    scriptsFor: (items) => ({ scriptSig: bitcoinScript.compile([...items, ...last]), witness: [] }),
  }
}

const redeemed = (input: PsbtInput, redeemScript: Uint8Array | undefined): SpendWay[] =>
  redeemScript ? [bare(input, redeemScript, redeemScript)] : []

/** Bytes of a witness besides the items for its leaf: their number, the script, the control block. */
export const leafOverhead = (script: Uint8Array, control: Uint8Array): number =>
  1 + sized(script) + sized(control)

/** Leaves with a signature; nodes do not relay spends of another leaf version than tapscript. */
function leaves({ tapLeafScript, tapScriptSig }: PsbtInput): SpendWay[] {
  return (tapLeafScript ?? []).flatMap(({ controlBlock, leafVersion, script }): SpendWay[] => {
    if (leafVersion !== TAPSCRIPT_LEAF) return []
    const leafHash = tapleafHash({ output: script, version: leafVersion })
    const signatures = (tapScriptSig ?? [])
      .filter((entry) => Buffer.compare(entry.leafHash, leafHash) === 0)
      .map(({ pubkey, signature }) => ({ key: pubkey, signature }))
    if (signatures.length === 0) return []
    return [
      {
        version: 'tapscript',
        script,
        leafHash,
        signatures,
        overhead: leafOverhead(script, controlBlock),
        scriptsFor: (items) => ({
          scriptSig: EMPTY,
          witness: [...items, script, controlBlock],
        }),
      },
    ]
  })
}
