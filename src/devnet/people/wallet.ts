import * as ecc from '@bitcoinerlab/secp256k1'
import {
  crypto,
  initEccLib,
  networks,
  Psbt,
  payments,
  type Signer,
  Transaction,
} from 'bitcoinjs-lib'
import type { Outpoint, TxOut } from '../../schemas/scalars.ts'

initEccLib(ecc)

/** The script types of the devnet's accounts. */
export type WalletScriptType = 'p2tr' | 'p2wpkh' | 'p2sh-p2wpkh' | 'p2wsh-multisig'

/** BIP143 and BIP341: the seller's half commits to its own input and the output beside it. */
const ASK_SIGHASH = Transaction.SIGHASH_SINGLE | Transaction.SIGHASH_ANYONECANPAY
const SEQUENCE = 0xfffffffd
/**
 * BIP340 allows this: two devnets that are seeded at the same time are then identical to the byte.
 */
const NO_AUXILIARY_RANDOMNESS = new Uint8Array(32)

export interface WalletCoin extends TxOut {
  outpoint: Outpoint
}

/** A party on the devnet: one key (three for the multisig), one address. */
export interface Account {
  readonly address: string
  readonly scriptHex: string
  /** A signed ask for one coin of this account, base64: it pays `payout`. */
  ask(coin: WalletCoin, payout: TxOut): string
  /** The PSBT with this account's inputs signed and finalised. */
  sign(psbt: Psbt, inputs: readonly number[], sighash?: number): Psbt
  /** What a PSBT input of this account needs besides its outpoint. */
  input(coin: WalletCoin): Parameters<Psbt['addInput']>[0]
}

/** The account that a label names: the same one at every start. */
export function accountOf(label: string, type: WalletScriptType): Account {
  const { payment, extras, signers } = scriptOf(type, (n) => signerOf(`${label}/${n}`))
  if (!payment.output || !payment.address) throw new Error(`no script for ${label}`)
  const { address } = payment
  const scriptHex = Buffer.from(payment.output).toString('hex')

  const input = ({ outpoint, valueSats }: WalletCoin) => ({
    hash: outpoint.txid,
    index: outpoint.vout,
    sequence: SEQUENCE,
    witnessUtxo: { script: bytes(scriptHex), value: BigInt(valueSats) },
    ...extras,
  })
  const sign = (psbt: Psbt, inputs: readonly number[], sighash?: number): Psbt => {
    for (const index of inputs) {
      for (const one of signers)
        psbt.signInput(index, one, sighash === undefined ? undefined : [sighash])
      psbt.finalizeInput(index)
    }
    return psbt
  }
  const ask = (coin: WalletCoin, payout: TxOut): string => {
    const psbt = new Psbt({ network: networks.regtest })
    psbt.addInput({ ...input(coin), sighashType: ASK_SIGHASH })
    psbt.addOutput({ script: bytes(payout.scriptHex), value: BigInt(payout.valueSats) })
    return sign(psbt, [0], ASK_SIGHASH).toBase64()
  }
  return { address, scriptHex, ask, sign, input }
}

const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'))

function scriptOf(type: WalletScriptType, keyOf: (n: number) => KeySigner) {
  const network = networks.regtest
  const signer = keyOf(0)
  const pubkey = signer.publicKey
  if (type === 'p2wpkh') {
    return { payment: payments.p2wpkh({ pubkey, network }), extras: {}, signers: [signer] }
  }
  if (type === 'p2sh-p2wpkh') {
    const redeem = payments.p2wpkh({ pubkey, network })
    const extras = redeem.output ? { redeemScript: redeem.output } : {}
    return { payment: payments.p2sh({ redeem, network }), extras, signers: [signer] }
  }
  if (type === 'p2wsh-multisig') {
    const second = keyOf(1)
    const pubkeys = [pubkey, second.publicKey, keyOf(2).publicKey]
    const redeem = payments.p2ms({ m: 2, pubkeys, network })
    const extras = redeem.output ? { witnessScript: redeem.output } : {}
    return { payment: payments.p2wsh({ redeem, network }), extras, signers: [signer, second] }
  }
  const internal = pubkey.slice(1, 33)
  const payment = payments.p2tr({ internalPubkey: internal, network })
  return { payment, extras: { tapInternalKey: internal }, signers: [tweaked(signer, internal)] }
}

interface KeySigner extends Signer {
  readonly secret: Uint8Array
}

function signerOf(label: string): KeySigner {
  return keySigner(crypto.taggedHash('TapTweak', Buffer.from(`market/devnet/${label}`)))
}

function keySigner(secret: Uint8Array): KeySigner {
  const publicKey = ecc.pointFromScalar(secret, true)
  if (!publicKey) throw new Error('the hash is not a private key')
  return {
    secret,
    publicKey,
    sign: (digest) => ecc.sign(digest, secret),
    signSchnorr: (digest) => ecc.signSchnorr(digest, secret, NO_AUXILIARY_RANDOMNESS),
  }
}

/**
 * BIP341: the output key's secret: the internal key's with even Y, tweaked without a script tree.
 */
function tweaked({ secret, publicKey }: KeySigner, internal: Uint8Array): Signer {
  const even = publicKey[0] === 2 ? secret : ecc.privateNegate(secret)
  const secretOut = ecc.privateAdd(even, crypto.taggedHash('TapTweak', internal))
  if (!secretOut) throw new Error('the tweaked key is not a private key')
  return keySigner(secretOut)
}
