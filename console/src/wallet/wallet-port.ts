/** SIGHASH_ALL: the whole transaction. Taproot's DEFAULT commits to the same (BIP341). */
export const SIGN_ALL = 0x01
/** SIGHASH_SINGLE | SIGHASH_ANYONECANPAY: a seller's half. */
export const SIGN_SINGLE_ANYONECANPAY = 0x83

export interface WalletAddress {
  address: string
  /** What the wallet keeps there; `both`: it has this one address alone. */
  purpose: 'assets' | 'payments' | 'both'
  /** Hex: 33 bytes, or the 32 of a taproot key. */
  publicKey: string
}

/** An input that the wallet signs, and with which sighash. */
export interface ToSign {
  index: number
  address: string
  sighash: typeof SIGN_ALL | typeof SIGN_SINGLE_ANYONECANPAY
}

/** An inscription that the wallet says it holds: the service examines it before it is listed. */
export interface OwnInscription {
  inscriptionId: string
  /** TXID:VOUT */
  output: string
  /** What nothing examines: it is shown beside the id, to know it again. */
  number?: number
  contentType?: string
}

/** The first page of what a wallet says it holds. */
export interface HeldInscriptions {
  inscriptions: OwnInscription[]
  /** The page was full: the wallet may hold more. */
  isFull: boolean
}

/**
 * A wallet in the browser. It answers in its own encoding; what it answers is never trusted:
 * `signed-psbt.ts`. Throws `WalletError`.
 */
export interface WalletPort {
  readonly id: string
  readonly name: string
  /** Asks the person; the addresses of the account in use. */
  connect(): Promise<WalletAddress[]>
  /** The network in use, by the service's names; null: this wallet does not say. */
  network(): Promise<string | null>
  /** The addresses in use now, asking nothing of the person; null: this wallet does not say. */
  addressesNow(): Promise<string[] | null>
  /** The PSBT, base64, as the wallet gives it back: base64 or hex, finalised or not. */
  sign(psbt: string, toSign: readonly ToSign[]): Promise<string>
  /** A BIP-322 proof, base64. */
  signMessage(address: string, message: string): Promise<string>
  /** Null: this wallet does not say. */
  inscriptions(): Promise<HeldInscriptions | null>
  /** Calls `changed` when account or network changes, until the returned function is called. */
  onChange(changed: (what: 'account' | 'network') => void): () => void
}

/** Why nothing came of what a wallet was asked. */
export type WalletTrouble =
  | 'refused-by-user'
  | 'no-answer'
  | 'account-changed'
  | 'network-changed'
  | 'other-network'
  | 'no-address'
  | 'unreadable'
  | 'another-transaction'
  | 'other-input-changed'
  | 'other-sighash'
  | 'not-signed'
  | 'failed'

/** A sentence for the person, with the cure. */
export class WalletError extends Error {
  override name = 'WalletError'
  readonly trouble: WalletTrouble

  constructor(trouble: WalletTrouble, message: string) {
    super(message)
    this.trouble = trouble
  }
}
