import { createHash } from 'node:crypto'
import { NETWORK, p2ms, p2pk, p2sh, p2tr, p2tr_pk, p2wpkh, p2wsh } from '@scure/btc-signer'
import * as ecc from 'tiny-secp256k1'

/** Every kind of script that an order may be made from. */
export const SCRIPTS = [
  'p2tr',
  'p2wpkh',
  'p2sh-p2wpkh',
  'p2wsh-multisig',
  'tapscript',
  'p2wsh-other',
] as const
export type ScriptKind = (typeof SCRIPTS)[number]

/** An output script with everything needed to spend it. */
export interface Wallet {
  kind: ScriptKind
  scriptHex: string
  /** One key, or two of the three of the multisig. */
  secrets: Uint8Array[]
  /** The fields of a PSBT input besides its outpoint and utxo. */
  fields: {
    redeemScript?: Uint8Array
    witnessScript?: Uint8Array
    tapInternalKey?: Uint8Array
    tapLeafScript?: NonNullable<ReturnType<typeof p2tr>['tapLeafScript']>
    tapMerkleRoot?: Uint8Array
  }
}

export const secretOf = (seed: string): Uint8Array =>
  Uint8Array.from(createHash('sha256').update(`market/test/${seed}`).digest())

/** The wallet for a seed: the same one every time. */
export function walletOf(kind: ScriptKind, seed: string): Wallet {
  const secrets = [0, 1, 2].map((n) => secretOf(`${seed}/${n}`))
  const keys = secrets.map((secret) => ecc.pointFromScalar(secret, true) ?? new Uint8Array())
  const key = keys[0]!
  const xonly = key.slice(1)
  const payment = {
    p2tr: () => p2tr(xonly),
    p2wpkh: () => p2wpkh(key),
    'p2sh-p2wpkh': () => p2sh(p2wpkh(key)),
    'p2wsh-multisig': () => p2wsh(p2ms(2, keys)),
    tapscript: () => p2tr(undefined, { script: p2tr_pk(xonly).script }, NETWORK, true),
    'p2wsh-other': () => p2wsh(p2pk(key)),
  }[kind]()
  const fields = Object.fromEntries(
    ['redeemScript', 'witnessScript', 'tapInternalKey', 'tapLeafScript', 'tapMerkleRoot'].flatMap(
      (name) => {
        const value: unknown = Reflect.get(payment, name)
        return value === undefined ? [] : [[name, value]]
      },
    ),
  )
  return {
    kind,
    scriptHex: Buffer.from(payment.script).toString('hex'),
    secrets: kind === 'p2wsh-multisig' ? secrets.slice(0, 2) : secrets.slice(0, 1),
    fields,
  }
}
