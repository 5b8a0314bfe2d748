import { base64, hex } from '@scure/base'
import { Transaction } from '@scure/btc-signer'
import { signSchnorr } from '@scure/btc-signer/utils.js'
import { describe, expect, test } from 'vitest'
import { connectWallet, proveWith, signWith } from '../../src/wallet/connection.ts'
import { foundWallets } from '../../src/wallet/found-wallets.ts'
import {
  SIGN_ALL,
  SIGN_SINGLE_ANYONECANPAY,
  type ToSign,
  WalletError,
} from '../../src/wallet/wallet-port.ts'
import { type Fake, fakeWallet, type Mood, type WalletName } from './fake-wallets.ts'
import { type Key, keyOf, LENIENT, psbtOf } from './keys.ts'

interface Case {
  name: WalletName
  network: string
  /** Of tests of one address: the first. */
  keys: readonly Key[]
  /** Can it sign for two addresses at once? */
  hasTwo: boolean
  /** Does it say when account or network change? */
  tells: boolean
}

const TAPROOT = keyOf(1, 'p2tr')
const SEGWIT = keyOf(2, 'p2wpkh')
const NESTED = keyOf(3, 'p2sh')
const SELLER = keyOf(9, 'p2tr')

/** The addresses of regtest are not those of signet, where OKX is. */
const CASES: Case[] = [
  { name: 'xverse', network: 'regtest', keys: [TAPROOT, NESTED], hasTwo: true, tells: true },
  { name: 'xverse', network: 'regtest', keys: [TAPROOT, SEGWIT], hasTwo: true, tells: true },
  { name: 'unisat', network: 'regtest', keys: [SEGWIT], hasTwo: false, tells: true },
  { name: 'unisat', network: 'regtest', keys: [TAPROOT], hasTwo: false, tells: true },
  { name: 'okx', network: 'signet', keys: [keyOf(4, 'p2wpkh')], hasTwo: false, tells: true },
  { name: 'leather', network: 'regtest', keys: [SEGWIT, TAPROOT], hasTwo: true, tells: false },
]

const isSignet = ({ network }: Case) => network === 'signet'

const troubleOf = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  if (error instanceof WalletError) return error.trouble
  throw error ?? new Error('nothing was refused')
}

describe.each(CASES)('$name with $keys.0.kind', (one) => {
  const keys = isSignet(one) ? one.keys.map((key) => ({ ...key, ...signet(key) })) : one.keys
  const open = (mood: Mood = {}) => fakeWallet(one.name, keys, { network: one.network, ...mood })
  const connected = async (mood: Mood = {}, patienceMs = 5_000) => {
    const fake = open(mood)
    return { fake, connection: await connectWallet(fake.port, one.network, { patienceMs }) }
  }
  const buyers = one.hasTwo ? keys : keys.slice(0, 1)

  /** A purchase: the seller's half is final, all others are the buyer's. */
  const makePurchase = () => {
    const transaction = psbtOf(
      [
        ...buyers.map((owner) => ({ owner, sats: 60_000n })),
        { owner: SELLER, sats: 10_000n, sighash: SIGN_SINGLE_ANYONECANPAY },
      ],
      [...buyers.map((to) => ({ to, sats: 20_000n })), { to: SELLER, sats: 50_000n }],
    )
    const at = buyers.length
    transaction.updateInput(at, { tapInternalKey: hex.decode(SELLER.publicKey) })
    transaction.signIdx(SELLER.secret, at, [SIGN_SINGLE_ANYONECANPAY])
    transaction.finalizeIdx(at)
    const toSign = buyers.map(
      ({ address }, index): ToSign => ({ index, address, sighash: SIGN_ALL }),
    )
    return { psbt: base64.encode(transaction.toPSBT()), toSign, sellerAt: at }
  }
  const purchase = makePurchase()
  /** An ask pays more than its input brings. */
  const ask = () => {
    const [owner = SELLER] = keys
    const transaction = psbtOf([{ owner, sats: 10_000n }], [{ to: owner, sats: 50_000n }])
    const toSign: ToSign[] = [
      { index: 0, address: owner.address, sighash: SIGN_SINGLE_ANYONECANPAY },
    ]
    return { psbt: base64.encode(transaction.toPSBT()), toSign }
  }
  const buys = async (mood: Mood, patienceMs?: number) => {
    const { connection } = await connected(mood)
    const { psbt, toSign } = purchase
    return signWith(connection, psbt, toSign, patienceMs === undefined ? {} : { patienceMs })
  }

  test('is found once, and gives its addresses by their purpose', async () => {
    const { connection, fake } = await connected()
    const found = connection.addresses.map(({ address }) => address)
    expect(found).toEqual(keys.map(({ address }) => address))
    const purposes = connection.addresses.map(({ purpose }) => purpose).sort()
    expect(purposes).toEqual(one.hasTwo ? ['assets', 'payments'] : ['both'])
    expect(fake.calls.map(([call]) => call)).not.toContain('signPsbt')
  })

  test.each([false, true])('signs a purchase, finalised by itself: %s', async (finalises) => {
    const { psbt, finalTxHex } = await buys({ finalises })
    const transaction = Transaction.fromRaw(hex.decode(finalTxHex ?? ''), LENIENT)
    const { psbt: asked, sellerAt } = purchase
    const given = Transaction.fromPSBT(base64.decode(asked), LENIENT)
    expect(hex.encode(transaction.unsignedTx)).toBe(hex.encode(given.unsignedTx))
    const signed = Transaction.fromPSBT(base64.decode(psbt), LENIENT)
    expect(signed.getInput(sellerAt).finalScriptWitness).toEqual(
      given.getInput(sellerAt).finalScriptWitness,
    )
  })

  test.each([false, true])('signs an ask with 0x83, finalised by itself: %s', async (finalises) => {
    const { connection, fake } = await connected({ finalises })
    const { psbt, toSign } = ask()
    const signed = await signWith(connection, psbt, toSign)
    const input = Transaction.fromPSBT(base64.decode(signed.psbt), LENIENT).getInput(0)
    const signature = input.finalScriptWitness?.[0] ?? input.tapKeySig ?? input.partialSig?.[0]?.[1]
    expect(signature?.at(-1)).toBe(SIGN_SINGLE_ANYONECANPAY)
    const [, ...given] = fake.calls.find(([call]) => call === 'signPsbt') ?? []
    expect(JSON.stringify(given)).toMatch(/"broadcast":false|"autoFinalized":false/)
  })

  test('signs a message by BIP-322, with the key of each address', async () => {
    const said = ({ address }: { address: string }, message: string) => `${address}: ${message}`
    const { connection } = await connected({ proves: said })
    for (const owner of connection.addresses) {
      const proof = await proveWith(connection, owner.address, 'withdraw')
      expect(proof).toBe(said(owner, 'withdraw'))
    }
  })

  test('says what it holds, or that it does not say', async () => {
    const inscription = {
      ...{ inscriptionId: `${'a'.repeat(64)}i0`, output: `${'a'.repeat(64)}:0` },
      ...{ number: 7, contentType: 'text/plain' },
    }
    const held = { inscriptions: [inscription], isFull: false }
    expect(await open().port.inscriptions()).toEqual(one.name === 'leather' ? null : held)
  })

  test('another transaction is refused', async () => {
    const swap = (transaction: Transaction) => {
      transaction.updateOutput(0, { amount: 19_999n }, true)
      return transaction
    }
    expect(await troubleOf(buys({ swap }))).toBe('another-transaction')
  })

  test('a signature with ALL is refused where SINGLE|ANYONECANPAY was asked', async () => {
    const { connection } = await connected({ sighash: 0x01 })
    const { psbt, toSign } = ask()
    expect(await troubleOf(signWith(connection, psbt, toSign))).toBe('other-sighash')
  })

  test('a purchase signed so that others may change it is refused', async () => {
    expect(await troubleOf(buys({ sighash: 0x81 }))).toBe('other-sighash')
  })

  test('a changed signature of the seller is refused, and a missing one is put back', async () => {
    const { sellerAt } = purchase
    const changed = (transaction: Transaction) => {
      const finalScriptWitness = [new Uint8Array(65).fill(1)]
      withoutWitness(transaction, sellerAt)
      transaction.updateInput(sellerAt, { finalScriptWitness }, true)
    }
    expect(await troubleOf(buys({ after: changed }))).toBe('other-input-changed')
    const trimmed = (transaction: Transaction) => withoutWitness(transaction, sellerAt)
    expect((await buys({ after: trimmed })).finalTxHex).toBeTypeOf('string')
  })

  test('a refusal of the person is said, of a signature and of a connection', async () => {
    const { connection, fake } = await connected()
    const { psbt, toSign } = purchase
    fake.mood = { refuses: true }
    expect(await troubleOf(signWith(connection, psbt, toSign))).toBe('refused-by-user')
    expect(await troubleOf(connectWallet(open({ refuses: true }).port, one.network))).toBe(
      'refused-by-user',
    )
  })

  test('a PSBT that comes back unsigned is refused', async () => {
    expect(await troubleOf(buys({ signsNothing: true }))).toBe('not-signed')
  })

  test('a wallet that hangs is waited for so long, and no longer', async () => {
    expect(await troubleOf(buys({ hangs: true }, 50))).toBe('no-answer')
  })

  test('a wallet of another network is not connected', async () => {
    const elsewhere = connectWallet(open().port, 'mainnet')
    expect(await troubleOf(elsewhere)).toBe('other-network')
  })

  test.runIf(one.tells)('what changes in the middle is thrown away', async () => {
    const tell = (event: 'account' | 'network') => (fake: Fake) => fake.tell(event)
    const account = buys({ before: tell('account'), hangs: true })
    expect(await troubleOf(account)).toBe('account-changed')
    const network = buys({ before: tell('network'), hangs: true })
    expect(await troubleOf(network)).toBe('network-changed')
    const silent = (fake: Fake) => {
      fake.keys = [keyOf(7, 'p2wpkh')]
    }
    expect(await troubleOf(buys({ before: silent }))).toBe('account-changed')
  })

  test('what another account signed is thrown away, also where the wallet tells of none', async () => {
    const after = (transaction: Transaction) =>
      signAs(keyOf(7, 'p2wpkh'), transaction, buyers.length - 1)
    expect(await troubleOf(buys({ after }))).toBe('account-changed')
    const { connection, fake } = await connected()
    fake.mood = { after: (transaction) => signAs(keyOf(7, 'p2wpkh'), transaction, 0) }
    const { psbt, toSign } = ask()
    expect(await troubleOf(signWith(connection, psbt, toSign))).toBe('account-changed')
  })
})

/** As an account that was chosen meanwhile signs. */
function signAs({ secret, publicKey }: Key, transaction: Transaction, index: number): void {
  const { tapKeySig, partialSig } = transaction.getInput(index)
  const [own] = partialSig ?? []
  const removed = { tapKeySig: undefined, partialSig: undefined } as never
  transaction.updateInput(index, removed, true)
  const message = new Uint8Array(32).fill(1)
  const taproot = [...signSchnorr(message, secret), ...(tapKeySig?.slice(64) ?? [])]
  const given = own
    ? { partialSig: [[hex.decode(publicKey), own[1]]] }
    : { tapKeySig: Uint8Array.from(taproot) }
  transaction.updateInput(index, given as never, true)
}

/** As signers that return what they added and nothing else. */
const withoutWitness = (transaction: Transaction, index: number) => {
  // The library removes a field so; its types do not say.
  const removed = { finalScriptWitness: undefined } as never
  transaction.updateInput(index, removed, true)
}

const signet = ({ kind, secret }: Key) => ({ ...keyOf(secret[0] ?? 0, kind, 'tb') })

test('a wallet that registers itself twice is offered once', () => {
  const registers = [{ id: 'two.provider', name: 'Two' }]
  const two = { provider: { request: () => {} } }
  const page = { btc_providers: registers, wbip_providers: registers, two }
  expect(foundWallets(page, 'mainnet').map(({ name }) => name)).toEqual(['Two'])
})

test('a page without a wallet offers none, and a stranger’s list is read with care', () => {
  expect(foundWallets({}, 'mainnet')).toEqual([])
  const btc_providers = [null, { id: 7 }, { id: 'missing', name: 'x' }, { id: 'a.b', name: 'y' }]
  expect(foundWallets({ btc_providers, a: { b: {} } }, 'mainnet')).toEqual([])
  expect(foundWallets({ btc_providers: 'text', unisat: null }, 'mainnet')).toEqual([])
})
