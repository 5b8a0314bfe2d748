import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { RouteOptions } from 'fastify'
import type { OpenAPIV3_1 } from 'openapi-types'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WITHOUT_EXAMPLE } from '../../src/http/openapi/examples.ts'
import { ERROR_STATUS } from '../../src/schemas/api/errors.ts'
import { referenceLink } from '../../src/schemas/api/reference-link.ts'
import type { TestApp } from '../support/http/http.ts'
import { type Described, describedIn } from '../support/http/openapi.ts'
import { openWholeApp } from '../support/market/whole-app.ts'
import { openPipelines } from '../support/pairing/pairing-pipeline.ts'

const ajv = new Ajv2020({ strict: false })
const registered: string[] = []
const onRoute = ({ method, url, schema }: RouteOptions) => {
  // The pages of the reference, and the routes that refuse other methods, are not described.
  if (typeof method !== 'string' || method === 'HEAD' || schema?.hide || url.startsWith('/docs')) {
    return
  }
  registered.push(`${method} ${url.replace(/:(\w+)/g, '{$1}')}`)
}

let it: TestApp
let document: OpenAPIV3_1.Document
let operations: Described[]
beforeAll(async () => {
  it = await openWholeApp({ onRoute })
  document = (await it.get('/openapi.json')).json()
  operations = describedIn(document)
})
afterAll(() => it.close())

test('GET /openapi.json is a valid document of OpenAPI 3.1', async () => {
  const validator = new Validator()
  const result = await validator.validate(structuredClone(document) as never)
  expect(result).toEqual({ valid: true })
  expect(validator.version).toBe('3.1')
})

test('every route is described, and nothing else', () => {
  const described = operations.map(({ method, path }) => `${method} ${path}`)
  expect(described.length).toBeGreaterThan(19)
  expect(described.sort()).toEqual(registered.filter((one) => !one.includes('openapi')).sort())
})

test('every operation has a description and a unique name', () => {
  const tags = new Set(document.tags?.map(({ name }) => name))
  for (const { operation } of operations) {
    const { operationId, summary, description, externalDocs, tags: own = [] } = operation
    expect(operationId).toMatch(/^[a-z]+[A-Za-z]+$/)
    expect(summary, operationId).toMatch(/^[A-Z].+[^.]$/)
    expect(description, operationId).toMatch(/^[A-Z].+\.$/s)
    expect(own, operationId).toHaveLength(1)
    for (const tag of own) expect(tags.has(tag), operationId).toBe(true)
    expect(externalDocs?.url).toBe(referenceLink(own[0] ?? '', operationId ?? ''))
  }
  expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(
    operations.length,
  )
})

test('every operation has an example of its request and of its success, true to its schemas', () => {
  for (const one of operations) {
    const { operation, method } = one
    if (WITHOUT_EXAMPLE.has(operation.operationId ?? '')) continue
    const makes = method === 'POST' && operation.operationId !== 'inspectOrder'
    expect(one.success.status, operation.operationId).toBe(makes ? 201 : 200)
    expect(one.success.example, operation.operationId).toBeDefined()
    expect(one.problemsOfAnswer(one.success.status, one.success.example)).toEqual([])
    for (const { name, in: place, required, example, schema } of one.parameters) {
      if (example !== undefined) expect(ajv.validate(schema as object, example), name).toBe(true)
      if (place === 'path' || required) expect(example, `${name} of ${one.path}`).toBeDefined()
    }
    if (one.requestBody) {
      expect(one.requestBody.example, operation.operationId).toBeDefined()
      expect(one.problemsOfBody(one.requestBody.example)).toEqual([])
    }
  }
})

describe('the answers', () => {
  test('name every code of the closed list somewhere, under its own status', () => {
    const named = new Set<string>()
    for (const { codes } of operations) {
      for (const [status, list] of codes) {
        for (const code of list) {
          expect(ERROR_STATUS[code], code).toBe(status)
          named.add(code)
        }
      }
    }
    // Of methods that are not described.
    const all = Object.keys(ERROR_STATUS).filter((code) => code !== 'METHOD_NOT_ALLOWED')
    expect([...named].sort()).toEqual(all.sort())
  })

  test('include those of the specification', () => {
    const listed: Record<string, number[]> = {
      listOrders: [400],
      readOrder: [404],
      readArtifact: [400, 404, 429],
      revalidateOrder: [404, 429],
      buildAsk: [400, 429],
      publishAsk: [400, 429],
      readOwnershipChallenge: [404],
      withdrawOrder: [400, 404, 429],
      quoteOrder: [400, 404, 429],
      preflightOrder: [400, 404, 429],
      importOrder: [400, 429],
      importPortableEvent: [400, 429],
      readNostrEnvelope: [404],
      withdrawOrderAsOperator: [401, 404],
    }
    for (const [operationId, statuses] of Object.entries(listed)) {
      const found = operations.find(({ operation }) => operation.operationId === operationId)
      expect([...(found?.codes.keys() ?? [])], operationId).toEqual(
        expect.arrayContaining(statuses),
      )
    }
  })
})

describe('the failures of the routes that answer in messages', () => {
  const NUMBER = 'Validation failed (numeric string is expected)'
  const LIMIT = 'limit must be between 1 and 200'
  const CURSOR = 'cursor is invalid'

  test.each([
    ['listObjects', [NUMBER, LIMIT, CURSOR]],
    ['proveObject', ['object key must be 32-byte hex', 'object not found', 'proof not found']],
    [
      'listDivergences',
      [NUMBER, LIMIT, CURSOR, 'Authorization: must be Bearer and the token of an operator'],
    ],
    ['readObject', ['object key must be 32-byte hex', 'object not found']],
    ['readVerifiedObject', ['object key must be 32-byte hex', 'object not found']],
    ['readCarrier', ['txid must be 32-byte hex', NUMBER, 'vout is invalid', 'carrier not found']],
    ['readEvents', ['txid must be 32-byte hex', 'transaction not found']],
    [
      'searchVerified',
      [
        'search query must contain between 1 and 128 characters',
        'search query contains unsupported characters',
        NUMBER,
        LIMIT,
        CURSOR,
      ],
    ],
    [
      'listVerifiedCarriers',
      ['address is not a valid carrier P2WSH address', NUMBER, LIMIT, CURSOR],
    ],
    ['readAgreement', [NUMBER, 'checkpoint not found']],
    ['readLineage', ['lineage id must be 32-byte hex', 'lineage not found']],
    ['readShard', ['outpoint is invalid', 'shard not found']],
  ])('%s lists every message that it may have', (operationId, messages) => {
    const found = operations.find(({ operation }) => operation.operationId === operationId)
    const text = JSON.stringify(found?.operation.responses)
    const said = [...text.matchAll(/(?<=[[,])\{"const":"([^"]+)"\}/g)].map(([, message]) => message)
    expect(said).toEqual(messages)
  })

  test('a 503 of a route without one of its own is that of a key before the keys are read', () => {
    const found = operations.find(({ operation }) => operation.operationId === 'listObjects')
    const message = 'the keys of customers are not read yet'
    const unread = { message, error: 'Service Unavailable', statusCode: 503 }
    expect(found?.problemsOfAnswer(503, unread)).toEqual([])
    expect(found?.problemsOfAnswer(503, { ...unread, message: 'x' })).not.toEqual([])
  })

  test.each(['readVerifiedObject', 'searchVerified', 'listVerifiedCarriers'])(
    'a 503 of %s has one body, and so has any 500',
    (operationId) => {
      const found = operations.find(({ operation }) => operation.operationId === operationId)
      const withheld = { status: 'verification_unavailable', error: 'verification_unavailable' }
      expect(found?.problemsOfAnswer(503, withheld)).toEqual([])
      expect(found?.problemsOfAnswer(503, { ...withheld, message: '' })).not.toEqual([])
      const internal = { statusCode: 500, message: 'Internal server error' }
      expect(found?.problemsOfAnswer(500, internal)).toEqual([])
      expect(found?.problemsOfAnswer(500, { ...internal, error: '' })).not.toEqual([])
    },
  )
})

test('a process without the market describes its own routes, and nothing else', async () => {
  const pipelines = await openPipelines()
  try {
    const own: OpenAPIV3_1.Document = (await pipelines.get('/openapi.json')).json()
    expect(await new Validator().validate(structuredClone(own) as never)).toEqual({ valid: true })
    const paths = Object.keys(document.paths ?? {}).filter((path) =>
      /^\/(pairing\/|ready|livez)/.test(path),
    )
    expect(Object.keys(own.paths ?? {}).sort()).toEqual(paths.sort())
    expect(own.tags?.map(({ name }) => name)).toEqual(['pairing', 'probes'])
    expect(own.components?.schemas).toHaveProperty('PairingObject')
    expect(own.components?.schemas).not.toHaveProperty('OrderSummary')
  } finally {
    await pipelines.close()
  }
})

test('/docs/json is the same document', async () => {
  expect((await it.get('/docs/json')).json()).toEqual(document)
})

test('the policy of the pages is not that of the description', async () => {
  const { headers } = await it.get('/openapi.json')
  expect(headers['content-security-policy']).toBe("default-src 'none'; frame-ancestors 'none'")
  expect(headers.etag).toBeDefined()
})
