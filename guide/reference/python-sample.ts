import { nameIn } from './description.ts'
import { type Call, ORIGIN } from './sample-call.ts'

/** Its answer is a file. */
const FILE = /\{name\}\.(\w+)$/

/** Words of the language: the generator puts an underscore behind them. */
const WORDS: ReadonlySet<string> = new Set(['from', 'in', 'is'])

/** A program with the client that clients/python generates, by the names that it gives. */
export function pythonOf(call: Call): string {
  const { operation, path, query, body, needsToken } = call
  const client = needsToken ? 'AuthenticatedClient' : 'Client'
  const token = needsToken ? ', token=os.environ["TOKEN"]' : ''
  const begin = [
    ...(needsToken ? ['import os', ''] : []),
    ...(FILE.test(operation.path) ? ['from pathlib import Path', ''] : []),
    `from psbt_market_client import ${client}`,
  ]
  const made = `client = ${client}("${ORIGIN}"${token})`
  if (operation.operationId === 'importBatch')
    return [
      ...begin,
      'from psbt_market_client.batches import import_orders',
      'from psbt_market_client.models import ImportRequest',
      '',
      made,
      'for imported in import_orders(client, [ImportRequest(psbt="cHNidP8BA…")]):',
      '    print(imported.status, imported.body)',
    ].join('\n')
  const name = snake(operation.operationId)
  const file = FILE.exec(operation.path)?.[1]
  const models = new Set<string>()
  const given = Object.entries({ ...path, ...query }).map(
    ([one, value]) => `${argumentOf(one)}=${argumentValue(call, one, value, models)}`,
  )
  if (body !== undefined) {
    const model = bodyModel(call)
    if (model !== null) models.add(model)
    given.push(`body=${model === null ? literal(body) : `${model}.from_dict(${literal(body)})`}`)
  }
  const passed = ['client=client', ...given].join(', ')
  return [
    ...begin,
    `from psbt_market_client.api.${operation.tag} import ${name}`,
    ...(models.size > 0 ? [`from psbt_market_client.models import ${[...models].join(', ')}`] : []),
    '',
    made,
    ...(file === undefined
      ? [`print(${name}.sync(${passed}))`]
      : [
          `answer = ${name}.sync_detailed(${passed})`,
          `print(Path("${path['name']}.${file}").write_bytes(answer.content), "bytes")`,
        ]),
  ].join('\n')
}

const snake = (name: string): string => name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase()
const pascal = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)

function argumentOf(name: string): string {
  const own = snake(name)
  return WORDS.has(own) ? `${own}_` : own
}

function argumentValue(
  { operation }: Call,
  name: string,
  value: string | number,
  models: Set<string>,
): string {
  const { schema = {} } = operation.parameters.find((one) => one.name === name) ?? {}
  if (!schema.enum || typeof value === 'number') return literal(value)
  const model = pascal(operation.operationId) + pascal(name)
  models.add(model)
  return `${model}.${value.toUpperCase().replaceAll(/[-.]/g, '_')}`
}

/** The model of a body: its own name, or that of the operation. Null: the generator has none. */
function bodyModel({ operation, bodySchema, bodyObject }: Call): string | null {
  if (bodyObject.oneOf) return null
  const isUnion = bodySchema.anyOf !== undefined
  const own = bodySchema.anyOf?.find(({ type }) => type !== 'null') ?? bodySchema
  if (own.$ref !== undefined) return nameIn(own.$ref)
  return `${pascal(operation.operationId)}Body${isUnion ? 'Type0' : ''}`
}

function literal(value: unknown): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value !== 'object') return JSON.stringify(value)
  const parts = Object.entries(value).map(([name, one]) => `"${name}": ${literal(one)}`)
  return `{${parts.join(', ')}}`
}
