import { networks, Psbt } from 'bitcoinjs-lib'
import * as ecc from 'tiny-secp256k1'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accountOf } from '../../src/devnet/people/wallet.ts'
import { toSpend } from '../../src/domain/bip322/virtual-transactions.ts'
import { bundleText } from '../../src/domain/dispute/seal-bundle.ts'
import { verifyBundle } from '../../src/domain/dispute/verify-bundle.ts'
import recorded from '../../src/http/openapi/examples/answers.json' with { type: 'json' }
import { PREFLIGHT_REQUEST, PROOF } from '../../src/http/openapi/examples/bodies.ts'
import { MARKET_REQUESTS, MESSAGE_REQUESTS } from '../../src/http/openapi/examples/requests.ts'
import { EXAMPLE_REQUESTS, WITHOUT_EXAMPLE } from '../../src/http/openapi/examples.ts'
import { Quote } from '../../src/schemas/api/purchase.ts'
import { DisputeBundle } from '../../src/schemas/dispute/bundle.ts'
import type { Described } from '../support/http/openapi.ts'
import { toTxid } from '../support/ids.ts'
import { type ExampleRun, openExampleRun, withoutRandom } from '../support/market/example-run.ts'
import { signQuote } from '../support/market/trader.ts'
import { simpleText } from '../support/orders/ownership-proof.ts'

// Every example of the API's description: the answers that `npm run docs` recorded are still
// current.

let run: ExampleRun
beforeAll(async () => {
  run = await openExampleRun()
})
afterAll(() => run.end())

const ANSWERS: Readonly<Record<string, unknown>> = recorded

function describedAs(id: string): Described {
  const described = run.operations.get(id)
  if (!described) throw new Error(`${id} is not described`)
  return described
}

test('every example is of an operation, and every operation has one', () => {
  const described = [...run.operations.keys()].filter((id) => !WITHOUT_EXAMPLE.has(id)).sort()
  expect(Object.keys(EXAMPLE_REQUESTS).sort()).toEqual(described)
  expect(Object.keys(ANSWERS).sort()).toEqual(described)
})

// In the order of recording: some change what others read.
test.each(Object.keys(EXAMPLE_REQUESTS))(
  '%s answers its example as it was recorded, and as it is described',
  async (id) => {
    const { success, problemsOfAnswer, problemsOfHeaders } = describedAs(id)
    const answer = await run.sendExample(id)
    const text = await answer.text()
    expect(answer.status, text).toBe(success.status)
    const body: unknown = JSON.parse(text)
    expect(withoutRandom(body)).toEqual(withoutRandom(ANSWERS[id]))
    expect(success.example).toEqual(ANSWERS[id])
    expect(problemsOfAnswer(answer.status, body)).toEqual([])
    expect(problemsOfHeaders(answer.status, answer.headers)).toEqual([])
  },
)

test('the recorded bundle proves itself, and the recorded versions are of its changes', () => {
  const bundle = DisputeBundle.parse(recorded.readBundle)
  const { failed, proved } = verifyBundle(bundleText(bundle), ecc)
  expect(failed).toEqual([])
  expect(proved).toContain('the order id names what the artifact authorises')
  const hashes = bundle.changes.map((change) => ('record' in change ? change.record.hash : null))
  expect(recorded.listOrderVersions.versions.map(({ hash }) => hash)).toEqual(hashes.slice(0, 2))
})

describe('what is signed in the requests is what the wallets of the devnet sign', () => {
  test('carol, of the recorded challenge', () => {
    const { address, message } = recorded.readOwnershipChallenge
    const carol = accountOf('carol', 'p2wpkh')
    expect(address).toBe(carol.address)
    const spent = { txid: toTxid(toSpend(message, carol.scriptHex).getId()), vout: 0 }
    const coin = { outpoint: spent, scriptHex: carol.scriptHex, valueSats: '0' }
    const psbt = new Psbt({ network: networks.regtest }).setVersion(0)
    psbt.addInput({ ...carol.input(coin), sequence: 0 })
    psbt.addOutput({ script: Uint8Array.of(0x6a), value: 0n })
    const [input] = carol.sign(psbt, [0]).extractTransaction(true).ins
    expect(PROOF.signature).toBe(simpleText(input?.witness ?? []))
  })

  test('bob, of the recorded quote', () => {
    const quote = Quote.parse(recorded.quoteOrder)
    const bob = accountOf('bob', 'p2wpkh')
    const coins = quote.inputOutpoints
      .filter((_, at) => at !== quote.sellerIndex)
      .map((outpoint) => ({ outpoint, scriptHex: bob.scriptHex, valueSats: '0' }))
    expect(PREFLIGHT_REQUEST.signedPsbt).toBe(signQuote(quote, bob, coins).toBase64())
  })
})

test.each(Object.keys(MARKET_REQUESTS))(
  '%s refuses what is not an example as described',
  async (id) => {
    const { method, path, parameters, ...described } = describedAs(id)
    const takesQuery = parameters.some((one) => one.in === 'query')
    const at = path.replace(/\{\w+\}/g, 'x') + (takesQuery ? '?limit=0&state=NOWHERE' : '')
    const answer = await run.send(at, {
      method,
      headers: { 'content-encoding': takesQuery ? 'identity' : 'gzip' },
    })
    const body: unknown = await answer.json()
    expect(answer.status).toBe(takesQuery ? 400 : 415)
    expect(described.problemsOfAnswer(answer.status, body)).toEqual([])
    expect(described.problemsOfHeaders(answer.status, answer.headers)).toEqual([])
  },
)

const takesParameters = Object.entries(MESSAGE_REQUESTS).filter(
  ([, request]) => 'params' in request || 'query' in request,
)

test.each(takesParameters)(
  '%s reports problems as described, whatever the request says of a missing body',
  async (id) => {
    const { path, ...described } = describedAs(id)
    const at = `${path.replace(/\{\w+\}/g, 'x')}?limit=0`
    const answer = await run.send(at, { headers: { 'content-encoding': 'gzip' } })
    expect(answer.status).toBe(400)
    expect(described.problemsOfAnswer(400, await answer.json())).toEqual([])
    expect(described.problemsOfHeaders(400, answer.headers)).toEqual([])
  },
)
