import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import type { OpenAPIV3_1 } from 'openapi-types'
import { referenceLink } from '../../schemas/api/reference-link.ts'
import { answersOf } from './answers.ts'
import { namedSchemas, schemaOf } from './components.ts'
import { HEADERS, REQUEST_HEADERS } from './headers.ts'
import type { JsonSchema } from './json-schemas.ts'
import { operationFactsOf, type RouteFacts } from './operation.ts'

const INFO = {
  title: 'Market',
  version: '0.9.0',
  description: `An order book of Bitcoin sale listings, each verified against a full node and an asset index; objects for which
two pipelines sign the answers; and a graph of output lineages with one canonical hash.

- Amounts are strings of decimal digits, in sats; numbers are accepted only where a field says so. Times are RFC 3339 in UTC.
- Every error of the market is an \`ErrorResponse\`: \`code\` is from a closed list, \`message\` is the exact reason.
- Errors of \`/pairing\`, \`/ready\` and \`/circles\` are a \`MessageResponse\`, except the 503 of a read that is not verified or
  not ready, which has its own body.
- HEAD is GET without the body. An unsupported method is 405 with \`Allow\` in the market, 404 elsewhere.
- Lists are paged by \`cursor\`: take \`nextCursor\` of the answer, or its \`Link\`. \`offset\` is rejected.
- JSON that is read is compressed by \`br\` or \`gzip\` for a client that takes either.
- The examples are from the devnet that \`npm start\` runs.`,
  license: { name: 'MIT', identifier: 'MIT' },
} satisfies OpenAPIV3_1.InfoObject

/** Tags, in the order in which a newcomer would read them. */
const TAGS = [
  { name: 'gateway', description: 'Health, contract and markets of this gateway.' },
  { name: 'orders', description: 'Browse, read and reverify orders; get the signed artifact.' },
  { name: 'listing', description: 'Import, build, publish and withdraw orders.' },
  { name: 'purchase', description: 'Quote a purchase, and check it before it is broadcast.' },
  {
    name: 'outpoints',
    description: 'What an output is exposed to, what ends that, and what is safe to pay with.',
  },
  { name: 'activity', description: 'Every change of every order.' },
  {
    name: 'statistics',
    description: 'The market in figures: floor, depth, candles, sales, verdicts, sources.',
  },
  {
    name: 'pairing',
    description:
      'Objects on carriers: direct reads of one pipeline, and reads that both have signed.',
  },
  {
    name: 'circles',
    description: 'The graph of output lineages: hash, canonical bytes, records.',
  },
  {
    name: 'operator',
    description: 'Moderation, and how far each part of the service is.',
  },
  { name: 'webhooks', description: 'Endpoints that every change is sent to.' },
  { name: 'keys', description: 'The keys of customers.' },
  { name: 'probes', description: 'Liveness and readiness, for an orchestrator.' },
]

/**
 * Collects the routes registered after it: `app.swagger()` is their OpenAPI 3.1 document. A route
 * without an `operationId` is omitted.
 */
export function describeRoutes(app: FastifyInstance): void {
  const routes = new Map<string, RouteFacts>()
  app.register(swagger, {
    convertConstToEnum: false,
    openapi: {
      openapi: '3.1.0',
      info: INFO,
      servers: [{ url: '/' }],
      tags: TAGS,
      components: {
        securitySchemes: {
          operator: {
            type: 'http',
            scheme: 'bearer',
            description: 'The token of an operator; the service stores only its SHA-256.',
          },
          customer: {
            type: 'http',
            scheme: 'bearer',
            description:
              'The key of a customer, on any route but those of operators: its tier limits its ' +
              'requests, instead of its address. The service stores only its SHA-256.',
          },
        },
      },
    },
    transform: ({ schema, url, route }) => {
      const { operationId, summary, description, tags, security } = schema ?? {}
      if (!schema || operationId === undefined) return { schema: { hide: true }, url }
      routes.set(operationId, operationFactsOf(url, route.method, schema, route.config))
      return {
        schema: {
          operationId,
          ...(summary !== undefined && { summary }),
          ...(description !== undefined && { description }),
          ...(tags && { tags }),
          ...(security && { security }),
        },
        url,
      }
    },
    transformObject: (document) => {
      if (!('openapiObject' in document)) throw new Error('not an OpenAPI document')
      return completed(document.openapiObject as OpenAPIV3_1.Document, routes)
    },
  })
}

/** Adds what the framework's plugin cannot know: parameters, bodies, answers, shared parts. */
function completed(
  document: OpenAPIV3_1.Document,
  routes: ReadonlyMap<string, RouteFacts>,
): OpenAPIV3_1.Document {
  const tags = new Set<string>()
  const paths = Object.entries(document.paths ?? {}).map(([path, item]) => [
    path,
    Object.fromEntries(
      Object.entries(item ?? {}).map(([method, operation]) => {
        const { operationId = '', tags: own = [] } = operation as OpenAPIV3_1.OperationObject
        const facts = routes.get(operationId)
        for (const tag of own) tags.add(tag)
        const [tag = ''] = own
        const externalDocs = { url: referenceLink(tag, operationId) }
        return [
          method,
          facts ? { ...(operation as object), externalDocs, ...partsOf(facts) } : operation,
        ]
      }),
    ),
  ])
  const components = {
    ...document.components,
    schemas: schemasOf(paths) as Record<string, OpenAPIV3_1.SchemaObject>,
    headers: HEADERS,
    parameters: REQUEST_HEADERS,
  }
  return {
    ...document,
    tags: TAGS.filter(({ name }) => tags.has(name)),
    paths: Object.fromEntries(paths),
    components,
  }
}

/** The named schemas that these paths reference, directly or indirectly. */
function schemasOf(paths: unknown): Record<string, JsonSchema> {
  const all = namedSchemas()
  const named = new Set<string>()
  const look = (at: unknown): void => {
    for (const [, name = ''] of JSON.stringify(at).matchAll(REFERENCE)) {
      if (named.has(name)) continue
      named.add(name)
      look(all[name])
    }
  }
  look(paths)
  return Object.fromEntries(Object.entries(all).filter(([name]) => named.has(name)))
}

const REFERENCE = /"\$ref":"#\/components\/schemas\/(\w+)"/g

function partsOf(facts: RouteFacts) {
  const { body, example, schema } = facts
  return {
    parameters: parametersOf(facts),
    ...(body && {
      requestBody: {
        required: !body.safeParse(undefined).success,
        content: {
          [schema.bodyType ?? 'application/json']: {
            schema: schemaOf(body, 'input'),
            ...(example?.body && { example: example.body }),
          },
        },
      },
    }),
    responses: answersOf(facts),
  }
}

function parametersOf({ method, params, querystring, config, schema, example }: RouteFacts) {
  const header = (name: keyof typeof REQUEST_HEADERS) => ({
    $ref: `#/components/parameters/${name}`,
  })
  return [
    ...(params ? parameters('path', params, example?.params) : []),
    ...(querystring ? parameters('query', querystring, example?.query) : []),
    ...(config.keepsNothing ? [] : [header(method === 'GET' ? 'IfNoneMatch' : 'IdempotencyKey')]),
    ...(schema.hasRanges ? [header('Range'), header('IfRange')] : []),
    header('RequestId'),
  ]
}

/** Each field of the object as a parameter; a field with an empty schema is omitted. */
function parameters(
  place: 'path' | 'query',
  object: NonNullable<RouteFacts['params']>,
  examples: Readonly<Record<string, string>> = {},
) {
  const { properties = {}, required = [] } = schemaOf(object, 'input')
  return Object.entries(properties).flatMap(([name, property]) => {
    if (typeof property === 'boolean' || Object.keys(property).length === 0) return []
    const { description, ...schema } = property
    const example = examples[name]
    return {
      in: place,
      name,
      required: place === 'path' || required.includes(name),
      ...(description !== undefined && { description }),
      schema,
      ...(example !== undefined && {
        example: schema.type === 'integer' ? Number(example) : example,
      }),
    }
  })
}
