import { script as bitcoinScript } from 'bitcoinjs-lib'

/** The scripts with which an input spends its prevout. */
export interface FinalScripts {
  scriptSig: Uint8Array
  witness: Uint8Array[]
}

/** OP_CHECKSIG, OP_CHECKSIGVERIFY, OP_CHECKSIGADD. */
const CHECKS_SIGNATURE = new Set<unknown>([0xac, 0xad, 0xba])

/** The keys whose signatures a script checks, in script order. */
export function keysIn(script: Uint8Array): Uint8Array[] {
  const chunks = bitcoinScript.decompile(script) ?? []
  return chunks.filter(
    (chunk, at): chunk is Uint8Array =>
      typeof chunk !== 'number' && CHECKS_SIGNATURE.has(chunks[at + 1]),
  )
}
