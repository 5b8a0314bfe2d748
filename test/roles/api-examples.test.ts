import { createHash } from 'node:crypto'
import { networks, Psbt } from 'bitcoinjs-lib'
import type { OpenAPIV3_1 } from 'openapi-types'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { accountOf } from '../../src/devnet/people/wallet.ts'
import { toSpend } from '../../src/domain/bip322/virtual-transactions.ts'
import { importOrder } from '../../src/gateway/intake/import-order.ts'
import { circleOperations as circles } from '../../src/http/circles/operations.ts'
import { examples as market } from '../../src/http/openapi/examples.ts'
import type { OperationExample } from '../../src/http/openapi/operation.ts'
import { pairingOperations as pairing } from '../../src/http/pairing/operations.ts'
import { playOn } from '../../src/roles/devnet/devnet-control.ts'
import { seedBook, seedProtocols } from '../../src/roles/devnet/devnet-seed.ts'
import type { OwnershipChallenge, OwnershipProof } from '../../src/schemas/api/ownership.ts'
import { type Described, describedIn } from '../support/http/openapi.ts'
import { type Market, openMarket } from '../support/market/market.ts'
import { devnetOf } from '../support/market/trader.ts'
import { simpleText } from '../support/orders/ownership-proof.ts'

// Every example of the API's description, as a reader would send it to the devnet of `npm start`.

const TOKEN = '0defaced'.repeat(8)
const OPERATOR = { authorization: `Bearer ${TOKEN}` }

const messages = Object.entries({ ...pairing, ...circles }).map(
  ([id, { example = { answer: null } }]): [string, OperationExample] => [id, example],
)
const all = [...Object.entries<OperationExample>(market), ...messages]

let service: Market
let operations: Map<string, Described>
beforeAll(async () => {
  const operators = `mia:${createHash('sha256').update(TOKEN).digest('hex')}`
  service = await openMarket({ OPERATOR_TOKENS: operators })
  await seedBook(devnetOf(service), (request) =>
    importOrder(service.gateway, request, 'devnet', AbortSignal.timeout(15_000)),
  )
  await seedProtocols(playOn(devnetOf(service), service.config.PAIRING_MAGIC))
  await vi.waitFor(() => expectSeeded(), { timeout: 15_000, interval: 100 })
  const document = (await service.get('/openapi.json')).body as OpenAPIV3_1.Document
  operations = new Map(
    describedIn(document).map((one) => [one.operation.operationId ?? '', one] as const),
  )
})
afterAll(() => service.end())

/** Both pipelines and the circles have read all that was played. */
async function expectSeeded(): Promise<void> {
  const { tip } = await devnetOf(service).node.chain()
  const { body: found } = await service.get('/pairing/verified/search?q=oak')
  const { body: state } = await service.get('/circles/state')
  expect(found).toMatchObject({ agreement: { height: tip.height } })
  expect(state).toMatchObject({ height: tip.height })
}

/** What a proof of ownership says is true for minutes only: it is made of the challenge of now. */
async function proofOfNow(path: string, proof: OwnershipProof): Promise<OwnershipProof> {
  const { body } = await service.get(path.replace(/withdraw$/, 'ownership-challenge'))
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

test('every example is of an operation, and every operation has one', () => {
  // A stream has no one answer.
  const without = ['probeLife', 'probeReadiness', 'streamActivity']
  const described = [...operations.keys()].filter((id) => !without.includes(id))
  expect(all.map(([id]) => id).sort()).toEqual(described.sort())
})

test.each(all)(
  '%s answers its example as it is described',
  async (id, { params = {}, query = {}, body }) => {
    const described = operations.get(id)
    if (!described) throw new Error(`${id} is not described`)
    const { method, path, success } = described
    const at = path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '')
    const sent = id === 'withdrawOrder' ? await proofOfNow(at, body as OwnershipProof) : body
    const answer = await fetch(`${service.address}${at}?${new URLSearchParams(query)}`, {
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

test.each(Object.entries<OperationExample>(market))(
  '%s refuses what is not an example as it is described',
  async (id) => {
    const described = operations.get(id)
    if (!described) throw new Error(`${id} is not described`)
    const { method, path, parameters } = described
    const takesQuery = parameters.some((one) => one.in === 'query')
    const at = path.replace(/\{\w+\}/g, 'x') + (takesQuery ? '?limit=0' : '')
    const answer = await fetch(`${service.address}${at}`, {
      method,
      headers: { ...OPERATOR, 'content-encoding': takesQuery ? 'identity' : 'gzip' },
    })
    const body: unknown = await answer.json()
    expect(answer.status).toBe(takesQuery ? 400 : 415)
    expect(described.problemsOfAnswer(answer.status, body)).toEqual([])
    expect(described.problemsOfHeaders(answer.status, answer.headers)).toEqual([])
  },
)

test.each(messages.filter(([, { params, query }]) => params ?? query))(
  '%s says what is wrong as it is described, whatever is said of a body that is not there',
  async (id) => {
    const described = operations.get(id)
    if (!described) throw new Error(`${id} is not described`)
    const at = `${described.path.replace(/\{\w+\}/g, 'x')}?limit=0`
    const answer = await fetch(`${service.address}${at}`, {
      headers: { 'content-encoding': 'gzip' },
    })
    expect(answer.status).toBe(400)
    expect(described.problemsOfAnswer(400, await answer.json())).toEqual([])
    expect(described.problemsOfHeaders(400, answer.headers)).toEqual([])
  },
)
