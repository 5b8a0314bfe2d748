import { createHash } from 'node:crypto'
import { networks, Psbt } from 'bitcoinjs-lib'
import type { OpenAPIV3_1 } from 'openapi-types'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountOf } from '../../src/adapters/devnet/wallet.ts'
import { toSpend } from '../../src/domain/bip322/virtual-transactions.ts'
import { importOrder } from '../../src/gateway/import-order.ts'
import { examples } from '../../src/http/openapi/examples.ts'
import type { OperationExample } from '../../src/http/openapi/operation.ts'
import { seedBook } from '../../src/roles/devnet-seed.ts'
import type { OwnershipChallenge, OwnershipProof } from '../../src/schemas/ownership.ts'
import { type Market, openMarket } from '../support/market.ts'
import { type Described, describedIn } from '../support/openapi.ts'
import { simpleText } from '../support/ownership-proof.ts'
import { devnetOf } from '../support/trader.ts'

// Every example of the API's description, as a reader would send it to the devnet of `npm start`.

const TOKEN = 'moderator'.repeat(5)
const OPERATOR = { authorization: `Bearer ${TOKEN}` }

let market: Market
let operations: Map<string, Described>
beforeAll(async () => {
  const operators = `mia:${createHash('sha256').update(TOKEN).digest('hex')}`
  market = await openMarket({ OPERATOR_TOKENS: operators })
  await seedBook(devnetOf(market), (request) =>
    importOrder(market.gateway, request, AbortSignal.timeout(15_000)),
  )
  const document = (await market.get('/openapi.json')).body as OpenAPIV3_1.Document
  operations = new Map(
    describedIn(document).map((one) => [one.operation.operationId ?? '', one] as const),
  )
})
afterAll(() => market.end())

/** What a proof of ownership says is true for minutes only: it is made of the challenge of now. */
async function proofOfNow(path: string, proof: OwnershipProof): Promise<OwnershipProof> {
  const { body } = await market.get(path.replace(/withdraw$/, 'ownership-challenge'))
  const { address, message }: OwnershipChallenge = body
  const carol = accountOf('carol', 'p2wpkh')
  expect(address).toBe(carol.address)
  const spent = { txid: toSpend(message, carol.scriptHex).getId(), vout: 0 }
  const coin = { outpoint: spent, scriptHex: carol.scriptHex, valueSats: '0' }
  const psbt = new Psbt({ network: networks.regtest }).setVersion(0)
  psbt.addInput({ ...carol.input(coin), sequence: 0 })
  psbt.addOutput({ script: Uint8Array.of(0x6a), value: 0n })
  const [input] = carol.sign(psbt, [0]).extractTransaction(true).ins
  return { ...proof, signature: simpleText(input?.witness ?? []) }
}

test('every example is of an operation, and every operation of the market has one', () => {
  const probes = ['probeLife', 'probeReadiness']
  const described = [...operations.keys()].filter((id) => !probes.includes(id))
  expect(Object.keys(examples).sort()).toEqual(described.sort())
})

test.each(Object.entries<OperationExample>(examples))(
  '%s answers its example as it is described',
  async (id, { params = {}, query = {}, body }) => {
    const described = operations.get(id)
    if (!described) throw new Error(`${id} is not described`)
    const { method, path, success } = described
    const at = path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '')
    const sent = id === 'withdrawOrder' ? await proofOfNow(at, body as OwnershipProof) : body
    const answer = await fetch(`${market.address}${at}?${new URLSearchParams(query)}`, {
      method,
      headers: { ...OPERATOR, ...(sent && { 'content-type': 'application/json' }) },
      ...(sent && { body: JSON.stringify(sent) }),
    })
    const text = await answer.text()
    expect(answer.status, text).toBe(success.status)
    expect(described.problemsOfAnswer(answer.status, JSON.parse(text))).toEqual([])
    expect(described.problemsOfHeaders(answer.status, answer.headers)).toEqual([])
  },
)

test.each(Object.entries<OperationExample>(examples))(
  '%s refuses what is not an example as it is described',
  async (id) => {
    const described = operations.get(id)
    if (!described) throw new Error(`${id} is not described`)
    const { method, path, parameters } = described
    const takesQuery = parameters.some((one) => one.in === 'query')
    const at = path.replace(/\{\w+\}/g, 'x') + (takesQuery ? '?limit=0' : '')
    const answer = await fetch(`${market.address}${at}`, {
      method,
      headers: { 'content-encoding': takesQuery ? 'identity' : 'gzip' },
    })
    const body: unknown = await answer.json()
    expect(answer.status).toBe(takesQuery ? 400 : 415)
    expect(described.problemsOfAnswer(answer.status, body)).toEqual([])
    expect(described.problemsOfHeaders(answer.status, answer.headers)).toEqual([])
  },
)
