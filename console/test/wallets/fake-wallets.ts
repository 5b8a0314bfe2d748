import { secp256k1 } from '@noble/curves/secp256k1.js'
import { base64, hex } from '@scure/base'
import { Transaction } from '@scure/btc-signer'
import { sha256 } from '@scure/btc-signer/utils.js'
import { foundWallets } from '../../src/wallet/found-wallets.ts'
import type { WalletPort } from '../../src/wallet/wallet-port.ts'
import { type Key, LENIENT } from './keys.ts'

/** What a wallet does with what it is asked. */
export interface Mood {
  /** Replaces the transaction before it is signed. */
  swap?: (transaction: Transaction) => Transaction
  /** Signs so whatever was asked. */
  sighash?: number
  finalises?: boolean
  refuses?: boolean
  hangs?: boolean
  /** Called before the answer. */
  before?: (wallet: Fake) => void
  /** Changes the answer. */
  after?: (transaction: Transaction) => void
  signsNothing?: boolean
  /** The proof of a message that BIP-322 is asked for; default: a text that proves nothing. */
  proves?: (key: Key, message: string) => string
  /** The inscriptions that it says it holds. */
  holds?: readonly { inscriptionId: string; output: string }[]
}

export interface Fake {
  port: WalletPort
  /** What the wallet put into the page, by its names there. */
  page: Record<string, unknown>
  mood: Mood
  /** Each call of the wallet, by its name, with what it was given. */
  calls: [string, ...unknown[]][]
  /** The keys of the account in use. */
  keys: readonly Key[]
  network: string
  /** As the wallet tells its pages. */
  tell(event: 'account' | 'network'): void
}

interface Asked {
  transaction: Transaction
  inputs: readonly { index: number; sighash: number }[]
}

const READABLE = { ...LENIENT, allowUnknownVersion: true } as const
const read = (bytes: Uint8Array): Transaction => Transaction.fromPSBT(bytes, READABLE)

/** Signs with real keys, as the wallet's own code would. */
function signedBy(fake: Fake, { transaction, inputs }: Asked): Promise<Transaction> {
  const { mood } = fake
  const signed = mood.swap ? mood.swap(transaction) : transaction
  for (const { index, sighash } of mood.signsNothing ? [] : inputs) {
    const given = mood.sighash ?? sighash
    signed.updateInput(index, { sighashType: given }, true)
    const script = hex.encode(signed.getInput(index).witnessUtxo?.script ?? new Uint8Array())
    const key = fake.keys.find((one) => hex.encode(one.script) === script)
    if (!key) throw new Error(`no key for input ${index}`)
    signed.signIdx(key.secret, index, [given])
    if (mood.finalises) finalise(signed, index)
  }
  mood.before?.(fake)
  mood.after?.(signed)
  return mood.hangs ? new Promise(() => {}) : Promise.resolve(signed)
}

/** A wallet finalises a seller's half too; the library asks for a fee. */
function finalise(transaction: Transaction, index: number): void {
  const { tapKeySig, partialSig, redeemScript } = transaction.getInput(index)
  const [first] = partialSig ?? []
  const finalScriptWitness = tapKeySig ? [tapKeySig] : first && [first[1], first[0]]
  const finalScriptSig = redeemScript && Uint8Array.of(redeemScript.length, ...redeemScript)
  if (!finalScriptWitness) return
  const final = { finalScriptWitness, ...(finalScriptSig && { finalScriptSig }) }
  transaction.updateInput(index, final, true)
}

const PROVES_NOTHING = 'c2lnbmVk'
const LABELS = { inscriptionNumber: 7, contentType: 'text/plain;charset=utf-8' }
const SAID = { inscriptionId: `${'a'.repeat(64)}i0`, output: `${'a'.repeat(64)}:0`, ...LABELS }

const keyIn = ({ keys }: Fake, address: string): Key => {
  const key = keys.find((one) => one.address === address)
  if (!key) throw new Error(`no key of ${address}`)
  return key
}

const bip322Of = ({ mood }: Fake, key: Key, message: string): string =>
  mood.proves?.(key, message) ?? PROVES_NOTHING

/** BIP-137: the first byte says the kind of the address, and which key the signature is of. */
const HEADERS = { p2sh: 35, p2wpkh: 39, p2tr: 39 } as const

/** As wallets sign a message where nothing else is asked for. It proves nothing to the service. */
function ecdsaOf({ secret, kind }: Key, message: string): string {
  const sized = (text: string) => {
    const bytes = new TextEncoder().encode(text)
    const { length } = bytes
    return [...(length < 0xfd ? [length] : [0xfd, length & 0xff, length >> 8]), ...bytes]
  }
  const framed = Uint8Array.from([...sized('Bitcoin Signed Message:\n'), ...sized(message)])
  const hash = sha256(sha256(framed))
  const signature = secp256k1.sign(hash, secret, { prehash: false, format: 'recovered' })
  const [recovery = 0, ...parts] = signature
  return base64.encode(Uint8Array.of(HEADERS[kind] + recovery, ...parts))
}

const sighashIn = (transaction: Transaction, index: number): number =>
  transaction.getInput(index).sighashType ?? 0x01

type Shape = (fake: Fake) => { page: Record<string, unknown>; tell: Fake['tell'] }

/**
 * Xverse: WBIP-004, sats-connect; base64, which sighash by field 03. Without a `protocol`, messages are signed by
 * BIP-322 with the address for ordinals, and by ECDSA with the one for payments.
 */
const xverse: Shape = (fake) => {
  const listeners = new Map<string, () => void>()
  const account = () => ({
    addresses: fake.keys.map((key) => ({
      address: key.address,
      publicKey: key.publicKey,
      purpose: key.kind === 'p2tr' ? 'ordinals' : 'payment',
      addressType: key.kind,
    })),
  })
  const methods: Record<string, (params: never) => unknown> = {
    wallet_connect: account,
    wallet_getAccount: account,
    wallet_getNetwork: () => ({ bitcoin: { name: titled(fake.network) } }),
    signPsbt: async (params: { psbt: string; signInputs: Record<string, number[]> }) => {
      const transaction = read(base64.decode(params.psbt))
      const inputs = Object.values(params.signInputs)
        .flat()
        .map((index) => ({ index, sighash: sighashIn(transaction, index) }))
      const signed = await signedBy(fake, { transaction, inputs })
      return { psbt: base64.encode(signed.toPSBT()) }
    },
    signMessage: ({ address, message, protocol }: XverseMessage) => {
      const key = keyIn(fake, address)
      const asked = protocol ?? (key.kind === 'p2tr' ? 'BIP322' : 'ECDSA')
      if (asked !== 'BIP322' && asked !== 'ECDSA') throw new Error(`no protocol ${asked}`)
      const signature = asked === 'BIP322' ? bip322Of(fake, key, message) : ecdsaOf(key, message)
      return { signature, address, protocol: asked }
    },
    ord_getInscriptions: () => ({ inscriptions: fake.mood.holds ?? [SAID] }),
  }
  const BitcoinProvider = {
    request: async (method: string, params: never) => {
      fake.calls.push([method, params])
      const isAsked = method === 'wallet_connect' || method.startsWith('sign')
      if (fake.mood.refuses && isAsked) {
        return { jsonrpc: '2.0', id: '1', error: { code: -32000, message: 'User rejected' } }
      }
      const answer = methods[method]
      if (!answer) return { jsonrpc: '2.0', id: '1', error: { code: -32601, message: 'unknown' } }
      return { jsonrpc: '2.0', id: '1', result: await answer(params) }
    },
    addListener: (event: string, listener: () => void) => {
      listeners.set(event, listener)
      return () => listeners.delete(event)
    },
  }
  return {
    page: {
      btc_providers: [{ id: 'XverseProviders.BitcoinProvider', name: 'Xverse Wallet' }],
      XverseProviders: { BitcoinProvider },
    },
    tell: (event) => listeners.get(`${event}Change`)?.(),
  }
}

interface XverseMessage {
  address: string
  message: string
  protocol?: string
}

const titled = (name: string) => `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`

interface InjectedOptions {
  autoFinalized: boolean
  toSignInputs: { index: number; sighashTypes: number[] }[]
}

/** The calls that UniSat and OKX share: hex, one account with one address; messages by ECDSA unless asked otherwise. */
function injected(fake: Fake) {
  const listeners = new Map<string, () => void>()
  const first = () => fake.keys[0]?.address ?? ''
  const noted =
    <Given extends unknown[]>(name: string, answer: (...given: Given) => unknown) =>
    async (...given: Given) => {
      fake.calls.push([name, ...given])
      if (fake.mood.refuses && (name.startsWith('sign') || name === 'requestAccounts')) {
        throw { code: 4001, message: 'User rejected the request.' }
      }
      return answer(...given)
    }
  return {
    listeners,
    methods: {
      requestAccounts: noted('requestAccounts', () => [first()]),
      getAccounts: noted('getAccounts', () => [first()]),
      getPublicKey: noted('getPublicKey', () => fake.keys[0]?.publicKey),
      signPsbt: noted('signPsbt', async (given: string, options: InjectedOptions) => {
        const transaction = read(hex.decode(given))
        const inputs = options.toSignInputs.map(({ index, sighashTypes: [sighash = 1] }) => ({
          index,
          sighash,
        }))
        return hex.encode((await signedBy(fake, { transaction, inputs })).toPSBT())
      }),
      signMessage: noted('signMessage', (message: string, type = 'ecdsa') => {
        const key = keyIn(fake, first())
        if (type === 'ecdsa') return ecdsaOf(key, message)
        if (type !== 'bip322-simple') throw { code: -32602, message: `no type ${type}` }
        return bip322Of(fake, key, message)
      }),
      getInscriptions: noted('getInscriptions', () => ({
        total: 1,
        list: [
          { inscriptionId: `${'a'.repeat(64)}i0`, location: `${'a'.repeat(64)}:0:0`, ...LABELS },
        ],
      })),
      on: (event: string, listener: () => void) => void listeners.set(event, listener),
      removeListener: (event: string) => void listeners.delete(event),
    },
  }
}

const unisat: Shape = (fake) => {
  const { methods, listeners } = injected(fake)
  const getChain = async () => ({ enum: `BITCOIN_${fake.network.toUpperCase()}`, name: 'Bitcoin' })
  return {
    page: { unisat: { ...methods, getChain } },
    tell: (event) => listeners.get(event === 'account' ? 'accountsChanged' : 'chainChanged')?.(),
  }
}

/** OKX has no regtest: the tests use its object of another test network. */
const okx: Shape = (fake) => {
  const { methods, listeners } = injected(fake)
  const { address = '', publicKey = '' } = fake.keys[0] ?? {}
  const connect = async () => {
    fake.calls.push(['connect'])
    if (fake.mood.refuses) throw { code: 4001, message: 'User rejected the request.' }
    return { address, publicKey: publicKey.slice(-64), compressedPublicKey: publicKey }
  }
  return {
    page: { okxwallet: { bitcoinSignet: { ...methods, connect } } },
    tell: (event) => listeners.get(event === 'account' ? 'accountChanged' : 'networkChanged')?.(),
  }
}

interface LeatherParams {
  message: string
  hex: string
  signAtIndex: number[]
  allowedSighash: number[]
  paymentType?: string
}

/** Leather: it signs messages by BIP-322 alone, with the address of a kind. */
const leather: Shape = (fake) => {
  const request = async (method: string, params: LeatherParams) => {
    fake.calls.push([method, params])
    if (fake.mood.refuses) throw { jsonrpc: '2.0', error: { code: 4001, message: 'User rejected' } }
    const answer = async () => {
      if (method === 'getAddresses') {
        const bitcoin = fake.keys.map(({ address, publicKey, kind }) => ({
          symbol: 'BTC',
          type: kind,
          address,
          publicKey,
        }))
        return { addresses: [...bitcoin, { symbol: 'STX', address: 'ST000', publicKey: '02' }] }
      }
      if (method === 'signMessage') {
        const { message, paymentType = 'p2wpkh' } = params
        const key = fake.keys.find(({ kind }) => kind === paymentType)
        if (!key) throw { error: { code: -32602, message: `no address of ${paymentType}` } }
        return { signature: bip322Of(fake, key, message), address: key.address }
      }
      const transaction = read(hex.decode(params.hex))
      const inputs = params.signAtIndex.map((index) => ({
        index,
        sighash: sighashIn(transaction, index),
      }))
      if (inputs.some(({ sighash }) => !params.allowedSighash.includes(sighash))) {
        throw { error: { code: -32602, message: 'sighash not allowed' } }
      }
      return { hex: hex.encode((await signedBy(fake, { transaction, inputs })).toPSBT()) }
    }
    return { jsonrpc: '2.0', id: '1', result: await answer() }
  }
  return {
    page: {
      LeatherProvider: { request },
      btc_providers: [{ id: 'LeatherProvider', name: 'Leather' }],
    },
    tell: () => {},
  }
}

const SHAPES = { xverse, unisat, okx, leather } as const

export type WalletName = keyof typeof SHAPES

/** A wallet of a kind in a page of its own, as the console finds it. */
export function fakeWallet(
  name: WalletName,
  keys: readonly Key[],
  { network = 'regtest', ...mood }: Mood & { network?: string } = {},
): Fake {
  const fake: Fake = {
    port: undefined as unknown as WalletPort,
    page: {},
    mood,
    calls: [],
    keys,
    network,
    tell: () => {},
  }
  const { page, tell } = SHAPES[name](fake)
  const [port, ...more] = foundWallets(page, network)
  if (!port || more.length > 0) throw new Error(`${name} was found ${more.length + 1} times`)
  return Object.assign(fake, { port, page, tell })
}
