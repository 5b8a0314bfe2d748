import { base64, hex } from '@scure/base'
import { p2tr, p2wpkh, RawTx, RawWitness, TEST_NETWORK, Transaction } from '@scure/btc-signer'
import { pubECDSA, pubSchnorr, randomPrivateKeyBytes, sha256 } from '@scure/btc-signer/utils.js'
import { play } from '../api/devnet-control.ts'
import { store, stored } from '../api/stored.ts'
import type { WalletAddress, WalletPort } from './wallet-port.ts'

// Keys without value: only for regtest, only where the service runs the devnet itself.

const KEY = 'devnet-wallet'
const REGTEST = { ...TEST_NETWORK, bech32: 'bcrt' }
/** Two paddings, and money. */
const COINS = ['600', '600', '300000']
const LENIENT = { allowUnknown: true, allowUnknownOutputs: true, disableScriptCheck: true } as const

interface Account extends WalletAddress {
  secret: Uint8Array
  script: Uint8Array
}

/** The throw-away wallet of this tab, with coins and one inscription when it is new. */
export async function openDevnetWallet(): Promise<WalletPort> {
  const kept = stored(KEY, 'sessionStorage')
  const secret = kept === null ? randomPrivateKeyBytes() : hex.decode(kept)
  const accounts = accountsOf(secret)
  if (kept === null) {
    await fill(accounts)
    store(KEY, hex.encode(secret), 'sessionStorage')
  }
  return walletOf(accounts)
}

async function fill([assets, payments]: readonly [Account, Account]): Promise<void> {
  for (const sats of COINS) await play('fund', { address: payments.address, sats })
  await play('inscribe', { address: assets.address, text: 'mine' })
}

function accountsOf(secret: Uint8Array): [Account, Account] {
  const xOnly = pubSchnorr(secret)
  const full = pubECDSA(secret)
  return [
    accountOf(secret, 'assets', hex.encode(xOnly), p2tr(xOnly, undefined, REGTEST)),
    accountOf(secret, 'payments', hex.encode(full), p2wpkh(full, REGTEST)),
  ]
}

const accountOf = (
  secret: Uint8Array,
  purpose: 'assets' | 'payments',
  publicKey: string,
  { address = '', script }: { address?: string; script: Uint8Array },
): Account => ({ secret, purpose, publicKey, address, script })

function walletOf(accounts: readonly [Account, Account]): WalletPort {
  const keyOf = (address: string): Account => {
    const account = accounts.find((one) => one.address === address)
    if (!account) throw new Error(`${address} is not of this wallet`)
    return account
  }
  return {
    id: 'devnet',
    name: 'Devnet wallet',
    connect: async () =>
      accounts.map(({ address, purpose, publicKey }) => ({ address, purpose, publicKey })),
    network: async () => 'regtest',
    addressesNow: async () => accounts.map(({ address }) => address),
    sign: async (psbt, toSign) => {
      const transaction = Transaction.fromPSBT(base64.decode(psbt), LENIENT)
      for (const { index, address, sighash } of toSign) {
        transaction.signIdx(keyOf(address).secret, index, [sighash, 0])
      }
      return base64.encode(transaction.toPSBT())
    },
    signMessage: async (address, message) => proofOf(keyOf(address), message),
    inscriptions: async () => null,
    onChange: () => () => {},
  }
}

/** BIP-322, simple: the witness of a virtual transaction that spends a virtual output. */
function proofOf({ secret, script, publicKey }: Account, message: string): string {
  const toSign = new Transaction({ version: 0, ...LENIENT, allowUnknownVersion: true })
  const isTaproot = publicKey.length === 64
  toSign.addInput({
    txid: spentTxid(message, script),
    index: 0,
    sequence: 0,
    witnessUtxo: { script, amount: 0n },
    ...(isTaproot && { tapInternalKey: hex.decode(publicKey) }),
  })
  toSign.addOutput({ script: Uint8Array.of(0x6a), amount: 0n })
  toSign.signIdx(secret, 0)
  toSign.finalizeIdx(0)
  return base64.encode(RawWitness.encode(toSign.getInput(0).finalScriptWitness ?? []))
}

function spentTxid(message: string, script: Uint8Array): Uint8Array {
  const text = new TextEncoder()
  const tag = sha256(text.encode('BIP0322-signed-message'))
  const hash = sha256(Uint8Array.from([...tag, ...tag, ...text.encode(message)]))
  const toSpend = RawTx.encode({
    version: 0,
    segwitFlag: false,
    inputs: [
      {
        txid: new Uint8Array(32),
        index: 0xffffffff,
        finalScriptSig: Uint8Array.from([0, 32, ...hash]),
        sequence: 0,
      },
    ],
    outputs: [{ amount: 0n, script }],
    witnesses: [],
    lockTime: 0,
  })
  return sha256(sha256(toSpend)).reverse()
}
