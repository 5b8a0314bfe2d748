import { type Call, ORIGIN } from './sample-call.ts'

const STATISTICS = '/api/market/stats/'
const FILE = /^\/api\/market\/stats\/\{name\}\.(\w+)$/
const VERIFIED = '/pairing/verified/'
const MAX_LINE = 60

/** A program with the client of clients/typescript. */
export function typescriptOf(call: Call): string {
  const token = call.needsToken ? ", token: process.env.TOKEN ?? ''" : ''
  return [
    ...(FILE.test(call.operation.path) ? ["import { writeFile } from 'node:fs/promises'"] : []),
    "import { createMarketClient } from 'psbt-market-client'",
    '',
    `const market = createMarketClient({ baseUrl: '${ORIGIN}'${token} })`,
    ...statementsOf(call),
  ].join('\n')
}

function statementsOf({ operation, path, query, body, isList }: Call): string[] {
  const { operationId, method, path: place } = operation
  const given = argumentsOf({ path, query, body })
  const format = FILE.exec(place)?.[1]
  if (format !== undefined)
    return [
      `const bytes = await market.statisticFile('${path['name']}', '${format}')`,
      `await writeFile('${path['name']}.${format}', bytes)`,
    ]
  const listed = limitedBy(query)
  switch (operationId) {
    case 'importBatch':
      return [
        "const orders = [{ psbt: 'cHNidP8BA…' }]",
        'for await (const { order, refusal } of market.importOrders(orders)) console.log(order ?? refusal)',
      ]
    case 'readContent':
      return [
        `const { bytes, type } = await market.content('${path['inscriptionId']}')`,
        'console.log(type, bytes.byteLength)',
      ]
    case 'streamActivity':
      return eachOf(`market.follow(${literalUnlessEmpty(query)})`)
    case 'listOrders':
      return eachOf(`market.orders(${literalUnlessEmpty(listed)})`)
    case 'listActivity':
      return eachOf(`market.activity(${literalUnlessEmpty(listed)})`)
  }
  if (place.startsWith(VERIFIED))
    return [
      `const outcome = await market.verified('${place}'${given}).read()`,
      'console.log(outcome)',
    ]
  if (isList && place.startsWith(STATISTICS)) {
    const filter = literalUnlessEmpty(listed)
    return eachOf(
      `market.statistics('${place.slice(STATISTICS.length)}'${filter && `, ${filter}`})`,
    )
  }
  if (isList) {
    return eachOf(`market.list('${place}'${argumentsOf({ path, query: listed, body })})`)
  }
  return [`const answer = await market.${method}('${place}'${given})`, 'console.log(answer)']
}

/** The client's lists take a number: the most items in all. */
const limitedBy = (query: Call['query']): Call['query'] =>
  query['limit'] === undefined ? query : { ...query, limit: Number(query['limit']) }

const eachOf = (list: string): string[] => [`for await (const item of ${list}) console.log(item)`]

function argumentsOf(parts: Pick<Call, 'path' | 'query' | 'body'>): string {
  const { path, query, body } = parts
  const given = {
    ...(Object.keys(path).length > 0 && { path }),
    ...(Object.keys(query).length > 0 && { query }),
    ...(body !== undefined && { body }),
  }
  const text = literalUnlessEmpty(given)
  return text && `, ${text}`
}

const literalUnlessEmpty = (value: object): string =>
  Object.keys(value).length > 0 ? literal(value, '') : ''

/** A value as a program has it, on one line where it is short. */
function literal(value: unknown, indent: string): string {
  if (typeof value === 'string') return quoted(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const inner = `${indent}  `
  const parts = Array.isArray(value)
    ? value.map((one) => literal(one, inner))
    : Object.entries(value).map(([name, one]) => `${keyOf(name)}: ${literal(one, inner)}`)
  const [open, close, space] = Array.isArray(value) ? ['[', ']', ''] : ['{', '}', ' ']
  if (parts.length === 0) return `${open}${close}`
  const line = parts.join(', ')
  if (line.length <= MAX_LINE && !line.includes('\n'))
    return `${open}${space}${line}${space}${close}`
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${indent}${close}`
}

const keyOf = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : quoted(name))

const quoted = (text: string): string => {
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll(String.raw`\"`, '"')
  return `'${escaped.replaceAll("'", String.raw`\'`)}'`
}
