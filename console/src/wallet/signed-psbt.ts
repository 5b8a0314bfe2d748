import { base64, hex } from '@scure/base'
import { p2tr, p2wpkh, Transaction } from '@scure/btc-signer'
import { type Input, isOwnSignature, spentBy } from './own-signature.ts'
import { SIGN_ALL, type ToSign, type WalletAddress, WalletError } from './wallet-port.ts'

// Scripts and versions are the node's to judge; this file reads all of them.
const LENIENT = {
  allowUnknown: true,
  allowUnknownVersion: true,
  allowUnknownInputs: true,
  allowUnknownOutputs: true,
  allowLegacyWitnessUtxo: true,
  disableScriptCheck: true,
} as const

const PSBT_HEX = /^70736274ff(?:[0-9a-f]{2})+$/i
const TAPROOT = /^5120[0-9a-f]{64}$/
/** BIP341: 64 bytes without, 65 with a sighash. */
const SCHNORR_BYTES = 64

export interface SignedPsbt {
  /** Base64; finalised where it can be. */
  psbt: string
  /** The transaction, hex, once every input is signed. */
  finalTxHex: string | null
}

/** The PSBT as wallets need it: their keys, and the sighash in field 03 (BIP174, BIP371). */
export function preparedPsbt(
  psbt: string,
  toSign: readonly ToSign[],
  addresses: readonly WalletAddress[],
): string {
  const transaction = Transaction.fromPSBT(base64.decode(psbt), LENIENT)
  for (const { index, address, sighash } of toSign) {
    const key = addresses.find((one) => one.address === address)?.publicKey
    transaction.updateInput(
      index,
      {
        ...(key && keysOf(transaction.getInput(index), hex.decode(key))),
        ...(sighash !== SIGN_ALL && { sighashType: sighash }),
      },
      true,
    )
  }
  return base64.encode(transaction.toPSBT())
}

/** What a signer must know of its own script, where the key is that script's. */
function keysOf(input: Input, publicKey: Uint8Array): Partial<Input> {
  const script = hex.encode(spentBy(input).script)
  const xOnly = publicKey.slice(-32)
  if (hex.encode(p2tr(xOnly).script) === script) return { tapInternalKey: xOnly }
  if (publicKey.length !== 33) return {}
  const { script: redeemScript } = p2wpkh(publicKey)
  return script.startsWith('a914') ? { redeemScript } : {}
}

/**
 * Ours, with the signatures that the wallet was asked for and nothing else of what it gave back:
 * hex or base64, finalised or not, with or without the fields that were in it.
 *
 * @throws WalletError unreadable, another-transaction, other-input-changed, not-signed,
 *   account-changed, other-sighash
 */
export function signedPsbt(
  prepared: string,
  returned: string,
  toSign: readonly ToSign[],
): SignedPsbt {
  const ours = Transaction.fromPSBT(base64.decode(prepared), LENIENT)
  const theirs = readReturned(returned)
  if (hex.encode(ours.unsignedTx) !== hex.encode(theirs.unsignedTx)) {
    throw new WalletError(
      'another-transaction',
      'The wallet signed another transaction than the one shown here. It was thrown away.',
    )
  }
  const asked = new Map(toSign.map((one) => [one.index, one]))
  for (let index = 0; index < ours.inputsLength; index += 1) {
    const one = asked.get(index)
    if (one) take(ours, theirs.getInput(index), one)
    else requireUnchanged(ours.getInput(index), theirs.getInput(index), index)
  }
  return { psbt: base64.encode(ours.toPSBT()), finalTxHex: ours.isFinal ? ours.hex : null }
}

function readReturned(returned: string): Transaction {
  const text = returned.replace(/\s+/g, '')
  try {
    const bytes = PSBT_HEX.test(text) ? hex.decode(text.toLowerCase()) : base64.decode(text)
    return Transaction.fromPSBT(bytes, LENIENT)
  } catch {
    throw new WalletError('unreadable', 'The wallet gave back something that is not a PSBT.')
  }
}

/** A signer may leave out what others signed (BIP174), but not change it. */
function requireUnchanged(ours: Input, theirs: Input, index: number): void {
  for (const name of SIGNED_FIELDS) {
    const [before, after] = [ours[name], theirs[name]]
    if (before === undefined || after === undefined) continue
    if (written(before) !== written(after)) {
      throw new WalletError(
        'other-input-changed',
        `The wallet changed what another signed, in input ${index}. It was thrown away.`,
      )
    }
  }
}

const SIGNED_FIELDS = ['finalScriptWitness', 'finalScriptSig', 'partialSig', 'tapKeySig'] as const

const written = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    part instanceof Uint8Array ? hex.encode(part) : part,
  )

function take(ours: Transaction, signed: Input, { index, address, sighash }: ToSign): void {
  const isTaproot = TAPROOT.test(hex.encode(spentBy(ours.getInput(index)).script))
  const signatures = signaturesOf(signed, isTaproot)
  if (signatures.length === 0) {
    throw new WalletError(
      'not-signed',
      `The wallet did not sign input ${index}. Choose the account that owns it.`,
    )
  }
  const given = signatures.map((one) => sighashOf(one, isTaproot))
  const allowed = sighash === SIGN_ALL && isTaproot ? [sighash, 0] : [sighash]
  if (!given.every((one) => allowed.includes(one))) {
    const [got = 0, wanted] = [given.find((one) => !allowed.includes(one)), sighash]
    throw new WalletError(
      'other-sighash',
      `The wallet signed with ${nameOf(got)} where ${nameOf(wanted)} was asked. Use another wallet, or sign elsewhere.`,
    )
  }
  if (!isOwnSignature(ours, index, signed)) {
    throw new WalletError(
      'account-changed',
      `The wallet signed input ${index} with another key than that of ${address}: it was thrown away. Choose its account, and connect again.`,
    )
  }
  const { finalScriptWitness, finalScriptSig, partialSig, tapKeySig } = signed
  const taken = finalScriptWitness
    ? { finalScriptWitness, ...(finalScriptSig && { finalScriptSig }) }
    : { ...(partialSig && { partialSig }), ...(tapKeySig && { tapKeySig }) }
  ours.updateInput(index, taken, true)
  // A seller's half pays out more than it brings: it is finalised with the purchase.
  if (!finalScriptWitness && sighash === SIGN_ALL) ours.finalizeIdx(index)
}

function signaturesOf(input: Input, isTaproot: boolean): Uint8Array[] {
  const { finalScriptWitness, partialSig, tapKeySig } = input
  // The first element of the witness: key path, P2WPKH and P2SH-P2WPKH alike.
  if (finalScriptWitness) return finalScriptWitness.slice(0, 1)
  if (isTaproot) return tapKeySig ? [tapKeySig] : []
  return (partialSig ?? []).map(([, signature]) => signature)
}

const sighashOf = (signature: Uint8Array, isTaproot: boolean): number =>
  isTaproot && signature.length === SCHNORR_BYTES ? 0 : (signature.at(-1) ?? 0)

function nameOf(sighash: number): string {
  const base = ['DEFAULT', 'ALL', 'NONE', 'SINGLE'][sighash & 0x7f] ?? `${sighash}`
  return sighash & 0x80 ? `${base}|ANYONECANPAY` : base
}
