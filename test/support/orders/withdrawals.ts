import { Psbt } from 'bitcoinjs-lib'
import type { Account } from '../../../src/devnet/people/wallet.ts'
import { toSpend } from '../../../src/domain/bip322/virtual-transactions.ts'
import { challengeAt } from '../../../src/domain/purchase/ownership-challenge.ts'
import { addressOfScript } from '../../../src/domain/script/address.ts'
import type { ProofChecker } from '../../../src/ports/authorities/proof-checker.ts'
import type { WithdrawalProof } from '../../../src/schemas/log.ts'
import type { OrderId, OutpointText } from '../../../src/schemas/scalars.ts'
import { toTxid } from '../ids.ts'
import { AT, hash, SELLER } from './evidence.ts'

// Sellers' withdrawals, as a gateway puts them into the log.

interface Signing {
  orderId: OrderId
  outpoint: OutpointText
  /** Of the offered output. */
  scriptHex?: string
  /** ISO 8601. */
  at?: string
  /** Signs the message. */
  sign?: (message: string) => string
}

/** What `standingProofs` takes for the signature of a message. */
export const standingSignature = (message: string): string => hash(`signed: ${message}`)

/** Answers without keys: the signature is good that stands for one. */
export const standingProofs: ProofChecker = {
  judge: async ({ message, proof }) =>
    proof === standingSignature(message)
      ? { status: 'valid' }
      : { status: 'invalid', reason: 'it is not signed' },
}

/** A proof under the challenge of that moment. */
export function sellersProof({
  orderId,
  outpoint,
  scriptHex = SELLER,
  at = AT,
  sign = standingSignature,
}: Signing): WithdrawalProof {
  const address = addressOfScript(scriptHex, 'regtest') ?? ''
  const service = { origin: 'https://market.example', network: 'regtest' } as const
  const terms = { ...service, orderId, outpoint, address, windowSeconds: 300 }
  const { message } = challengeAt(terms, Date.parse(at))
  return { address, message, signature: sign(message), provedAt: at }
}

/** The message signed by an account of the devnet: a simple BIP-322 proof. */
export function signedBy(account: Account, message: string): string {
  const { scriptHex } = account
  const txid = toTxid(toSpend(message, scriptHex).getId())
  const psbt = new Psbt()
  psbt.setVersion(0)
  const coin = { outpoint: { txid, vout: 0 }, valueSats: '0', scriptHex }
  psbt.addInput({ ...account.input(coin), sequence: 0 })
  psbt.addOutput({ script: Uint8Array.of(0x6a), value: 0n })
  const [input] = account.sign(psbt, [0]).data.inputs
  return Buffer.from(input?.finalScriptWitness ?? []).toString('base64')
}
