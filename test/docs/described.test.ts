import { readFile } from 'node:fs/promises'
import type { OpenAPIV3_1 } from 'openapi-types'
import { expect, test } from 'vitest'

interface Node {
  readonly [name: string]: unknown
  readonly $ref?: unknown
  readonly description?: unknown
  readonly properties?: unknown
  readonly allOf?: unknown
  readonly example?: unknown
}

// As served: test/docs/generated.integration.test.ts.
const document = JSON.parse(await readFile('docs/openapi.json', 'utf8')) as OpenAPIV3_1.Document

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null

/** The schema itself, or the named one that it refers to. */
const meantBy = (schema: Node): Node => {
  const name = typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1) : undefined
  return name === undefined ? schema : ((document.components?.schemas?.[name] ?? {}) as Node)
}
const wordsOf = (schema: Node): unknown => schema.description ?? meantBy(schema).description

interface Property {
  at: string
  name: string
  words: unknown
}

/** Every property of every schema below; one that narrows a property of another branch has its words. */
function propertiesIn(node: unknown, at: string, narrowed: readonly Node[] = []): Property[] {
  if (Array.isArray(node)) return node.flatMap((one) => propertiesIn(one, at, narrowed))
  if (!isNode(node)) return []
  const { properties, allOf, example: _example, ...rest } = node
  const branches = Array.isArray(allOf) ? allOf.filter(isNode).map(meantBy) : []
  const own = isNode(properties) ? Object.entries(properties) : []
  return [
    ...own.flatMap(([name, schema]) => [
      { at, name, words: isNode(schema) ? (wordsOf(schema) ?? inherited(name, narrowed)) : null },
      ...propertiesIn(schema, `${at}.${name}`),
    ]),
    ...propertiesIn(allOf, at, branches),
    ...Object.entries(rest).flatMap(([key, value]) =>
      propertiesIn(value, key === 'schema' || key === 'items' ? at : `${at}/${key}`),
    ),
  ]
}

const inherited = (name: string, branches: readonly Node[]): unknown =>
  branches
    .map(({ properties }) => (isNode(properties) ? properties[name] : undefined))
    .filter(isNode)
    .map(wordsOf)
    .find((words) => words !== undefined)

const isBare = ({ words }: Property): boolean => typeof words !== 'string' || words.length < 2
const named = ({ at, name }: Property): string => `${at}.${name}`

const properties = [
  ...propertiesIn(document.components?.schemas, 'schemas'),
  ...propertiesIn(document.paths, 'paths'),
]

test('every property of the document is described', () => {
  expect(properties.length).toBeGreaterThan(1_000)
  expect(properties.filter(isBare).map(named)).toEqual([])
})

test('every parameter of the document is described', () => {
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    Object.values(item ?? {}).map((operation) => [path, operation] as const),
  )
  const parameters = operations.flatMap(([path, operation]) =>
    ((operation as OpenAPIV3_1.OperationObject).parameters ?? [])
      .filter((one): one is OpenAPIV3_1.ParameterObject => !('$ref' in one))
      .map(({ name, description }) => ({ at: path, name, words: description })),
  )
  expect(parameters.length).toBeGreaterThan(200)
  expect(parameters.filter(isBare).map(named)).toEqual([])
})

test.each([
  [/(?:Sats|_sats)$/, /\bsats\b/i],
  [/(?:Seconds|_seconds)$/, /\bseconds\b|how long/i],
  [/(?:SatsPerVb)$/, /\bsat\/vB/],
  [/(?:vsize|Vbytes)$/, /\bvB\b/],
  [/(?<!begun)(?:At|_at)$/, /RFC 3339|Unix seconds/],
])('a property named as %s says its unit', (name, unit) => {
  const without = properties.filter((one) => name.test(one.name) && !unit.test(String(one.words)))
  expect(without.map((one) => `${named(one)}: ${one.words}`)).toEqual([])
})
