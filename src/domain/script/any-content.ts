/**
 * `@scure/btc-signer` reads a transaction or a PSBT only for its form: scripts and versions are
 * interpreted elsewhere.
 */
export const ANY_CONTENT = {
  allowUnknown: true,
  allowUnknownVersion: true,
  allowUnknownInputs: true,
  allowUnknownOutputs: true,
  disableScriptCheck: true,
}
