import { hex } from '@scure/base'
import { p2sh, p2tr, p2wpkh, TEST_NETWORK, Transaction } from '@scure/btc-signer'
import { pubECDSA, pubSchnorr } from '@scure/btc-signer/utils.js'

export interface Key {
  secret: Uint8Array
  publicKey: string
  address: string
  script: Uint8Array
  kind: 'p2tr' | 'p2wpkh' | 'p2sh'
}

/** The key of a test's wallet: `seed` is a byte. */
export function keyOf(seed: number, kind: Key['kind'], bech32 = 'bcrt'): Key {
  const network = { ...TEST_NETWORK, bech32 }
  const secret = new Uint8Array(32).fill(seed)
  const full = pubECDSA(secret)
  const xOnly = pubSchnorr(secret)
  const payment =
    kind === 'p2tr'
      ? p2tr(xOnly, undefined, network)
      : kind === 'p2wpkh'
        ? p2wpkh(full, network)
        : p2sh(p2wpkh(full, network), network)
  const publicKey = hex.encode(kind === 'p2tr' ? xOnly : full)
  return { secret, publicKey, address: payment.address ?? '', script: payment.script, kind }
}

export const LENIENT = { allowUnknown: true, disableScriptCheck: true } as const

interface Coin {
  owner: Key
  sats: bigint
  sighash?: number
}

/** A PSBT as the service gives it out, its inputs with their outputs and nothing else. */
export function psbtOf(coins: readonly Coin[], outputs: readonly { to: Key; sats: bigint }[]) {
  const transaction = new Transaction({ version: 2, ...LENIENT })
  coins.forEach(({ owner: { script }, sats, sighash }, index) => {
    transaction.addInput({
      txid: `${index + 1}`.padStart(64, '0'),
      index,
      sequence: 0xfffffffd,
      witnessUtxo: { script, amount: sats },
      ...(sighash !== undefined && { sighashType: sighash }),
    })
  })
  for (const { to, sats } of outputs) transaction.addOutput({ script: to.script, amount: sats })
  return transaction
}
