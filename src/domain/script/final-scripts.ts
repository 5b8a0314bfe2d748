/** The scripts with which an input spends its prevout. */
export interface FinalScripts {
  scriptSig: Uint8Array
  witness: Uint8Array[]
}
