import { Transaction } from '@scure/btc-signer'
import { crypto, initEccLib, Psbt, type Signer } from 'bitcoinjs-lib'
import * as ecc from 'tiny-secp256k1'
import { addressOfScript } from '../../../src/domain/script/address.ts'
import type { ErrorResponse } from '../../../src/schemas/api/errors.ts'
import type { BuildAskRequest, BuildAskResult } from '../../../src/schemas/api/listing.ts'
import type { AssetClaim, OrderSummary } from '../../../src/schemas/order.ts'
import type { Wallet } from '../chain/keys.ts'
import { SINGLE_ANYONECANPAY } from '../orders/psbt-orders.ts'
import type { Market } from './market.ts'
import { devnetOf } from './trader.ts'

// A seller: what a build returned goes to a wallet, and comes back signed.

initEccLib(ecc)

export const addressOf = ({ scriptHex }: Pick<Wallet, 'scriptHex'>): string =>
  addressOfScript(scriptHex, 'regtest') ?? ''

/** An inscription on the devnet, in an output of its own. */
export function inscribedFor(market: Market, owner: Wallet, postage = 10_000n): AssetClaim {
  const content = { contentType: 'text/plain', body: Buffer.from('for sale'), postage }
  const { inscriptionId, outpoint } = devnetOf(market).inscribe(addressOf(owner), content)
  return { inscriptionId, outpoint }
}

/** A request to list an inscription, paid to its owner's address. */
export const listingOf = (
  asset: AssetClaim,
  owner: Wallet,
  changes: Partial<BuildAskRequest> = {},
): BuildAskRequest => ({
  protocolId: 'inscriptions',
  token: 'PUNK',
  quotedPriceSats: '50000',
  sellerPaymentAddress: addressOf(owner),
  asset,
  ...changes,
})

type Post = Pick<Market, 'post'>

export const built = (market: Post, request: object): Promise<BuildAskResult> =>
  created(market, 'build', request)

export const published = (market: Post, psbt: string): Promise<OrderSummary> =>
  created(market, 'publish', { psbt })

async function created<T>({ post }: Post, route: string, body: object): Promise<T> {
  const answer = await post(`orders/${route}`, body)
  if (answer.status !== 201) throw new Error(`${route}: ${JSON.stringify(answer.body)}`)
  return answer.body
}

/** The envelope of a refusal. */
export async function refused(
  { post }: Post,
  route: 'build' | 'publish',
  body: object,
): Promise<ErrorResponse> {
  const answer = await post(`orders/${route}`, body)
  if (answer.status < 400) throw new Error(`${route} was answered ${answer.status}`)
  return answer.body
}

/** Signed and, if wanted, finalised by bitcoinjs-lib. */
export function signedByBitcoinjs(
  psbt: string,
  { kind, secrets, fields }: Wallet,
  { finalised = true } = {},
): string {
  const { redeemScript, witnessScript, tapInternalKey } = fields
  const half = Psbt.fromBase64(psbt)
  half.updateInput(0, {
    ...(redeemScript && { redeemScript }),
    ...(witnessScript && { witnessScript }),
    ...(tapInternalKey && { tapInternalKey }),
  })
  for (const secret of secrets) {
    const signer = kind === 'p2tr' ? tweaked(secret) : signerOf(secret)
    half.signInput(0, signer, [SINGLE_ANYONECANPAY])
  }
  return (finalised ? half.finalizeInput(0) : half).toBase64()
}

function signerOf(secret: Uint8Array): Signer {
  const publicKey = ecc.pointFromScalar(secret, true)
  if (!publicKey) throw new Error('a secret that is none')
  return {
    publicKey,
    sign: (digest) => ecc.sign(digest, secret),
    signSchnorr: (digest) => ecc.signSchnorr(digest, secret),
  }
}

const tweaked = (secret: Uint8Array): Signer => signerOf(tweakedSecret(secret))

/** BIP341: the secret of the output key of an internal key without a script tree. */
export function tweakedSecret(secret: Uint8Array): Uint8Array {
  const { publicKey } = signerOf(secret)
  const even = publicKey[0] === 2 ? secret : ecc.privateNegate(secret)
  const tweak = crypto.taggedHash('TapTweak', publicKey.slice(1))
  const output = ecc.privateAdd(even, tweak)
  if (!output) throw new Error('a tweak that is no secret')
  return output
}

const ANY_CONTENT = { allowUnknown: true, allowUnknownOutputs: true, disableScriptCheck: true }

/** Signed by @scure/btc-signer; not finalised, since it would check the fee of a half. */
export function signedByScure(psbt: string, { fields, secrets }: Wallet): string {
  const half = Transaction.fromPSBT(Buffer.from(psbt, 'base64'), ANY_CONTENT)
  half.updateInput(0, fields, true)
  for (const secret of secrets) half.signIdx(secret, 0, [SINGLE_ANYONECANPAY])
  return Buffer.from(half.toPSBT()).toString('base64')
}
