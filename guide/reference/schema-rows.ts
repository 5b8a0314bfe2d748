import { nameIn, type Schema } from './description.ts'

/** A piece of a type: text, or the name of an object that is described elsewhere. */
export interface TypePart {
  text: string
  /** The named schema that this piece is. */
  object?: string
}

/** A property, or the begin of one form of a value that has several. */
export interface SchemaRow {
  /** From the described object on, with a dot for each step; `[]`: of each item. */
  name: string
  /** True: the row begins a form, and the name says which. */
  isForm: boolean
  isRequired: boolean
  type: TypePart[]
  bounds: string
  description: string
}

/** A type whose names of objects are links. */
export type LinkedType = { text: string; url: string }[]

export interface Row extends Omit<SchemaRow, 'type'> {
  type: LinkedType
  /** The earlier operation of the page that shows the same properties of it, instead of them. */
  sameAs?: string
}

/** What patterns of the description say, for a reader. */
const PATTERNS: Readonly<Record<string, string>> = {
  '^[0-9a-f]{64}$': '64 hex digits',
  '^[0-9a-fA-F]{64}$': '64 hex digits',
  '^[0-9a-f]{128}$': '128 hex digits',
  '^(?:[0-9a-f]{2})*$': 'hex',
  '^5120[0-9a-f]{64}$': 'hex of a taproot script',
  '^(?:0|[1-9][0-9]*)$': 'decimal digits',
  '^(0|[1-9][0-9]*)$': 'decimal digits',
  '^(0|-?[1-9][0-9]*)$': 'decimal digits, may be negative',
  '^[0-9a-f]{64}:(?:0|[1-9][0-9]{0,9})$': 'txid:vout',
  '^[0-9a-fA-F]{64}:(?:0|[1-9][0-9]{0,9})$': 'txid:vout',
  '^[0-9a-f]{64}i(?:0|[1-9][0-9]{0,9})$': 'inscription id',
  '^[1-9][0-9]{0,2}$': 'a positive number',
  '^[1-9][0-9]{0,3}$': 'a positive number',
}
/** A longer pattern says less than the property's description. */
const MAX_PATTERN_SHOWN = 40

const text = (said: string): TypePart[] => [{ text: said }]
const isNull = ({ type }: Schema): boolean => type === 'null'
const variantsOf = ({ anyOf, oneOf }: Schema): Schema[] => anyOf ?? oneOf ?? []

/** The type as TypeScript would write it. */
export function typeOf(schema: Schema): TypePart[] {
  if (schema.$ref !== undefined) {
    const object = nameIn(schema.$ref)
    return [{ text: object, object }]
  }
  if ('const' in schema) return text(JSON.stringify(schema.const))
  if (schema.enum) return text(schema.enum.map((one) => JSON.stringify(one)).join(' | '))
  const variants = variantsOf(schema)
  if (variants.length > 0 && !schema.properties) return distinct(variants.map(typeOf))
  if (schema.allOf) return typeOf(schema.allOf[0] ?? {})
  if (Array.isArray(schema.type)) return text(schema.type.join(' | '))
  if (schema.type === 'array') return listOf(typeOf(schema.items ?? {}))
  const { additionalProperties: values } = schema
  if (schema.type === 'object' && typeof values === 'object')
    return [...text('{ [name]: '), ...typeOf(values), ...text(' }')]
  return text(schema.type ?? 'any')
}

function distinct(types: TypePart[][]): TypePart[] {
  const seen = new Map(types.map((parts) => [parts.map((part) => part.text).join(''), parts]))
  return [...seen.values()].flatMap((parts, at) => (at === 0 ? parts : [...text(' | '), ...parts]))
}

const listOf = (item: TypePart[]): TypePart[] => {
  const isUnion = item.length > 1 || item.some((part) => part.text.includes('|'))
  return isUnion ? [...text('('), ...item, ...text(')[]')] : [...item, ...text('[]')]
}

/** Bounds, form and default in words. */
export function boundsOf(schema: Schema): string {
  const of = schema.type === 'array' ? (schema.items ?? {}) : schema
  const [only, ...others] = variantsOf(of).filter((one) => !isNull(one))
  if (only && others.length === 0) return boundsOf({ ...only, default: schema.default })
  const { minItems, maxItems } = schema
  return [
    between(minItems, maxItems, 'items'),
    between(of.minimum ?? of.exclusiveMinimum, of.maximum, '', of.exclusiveMinimum !== undefined),
    formOf(of),
    schema.default === undefined ? '' : `default ${JSON.stringify(schema.default)}`,
  ]
    .filter((said) => said !== '')
    .join(', ')
}

function formOf({ format, pattern, minLength, maxLength }: Schema): string {
  if (format === 'date-time') return 'RFC 3339, UTC'
  if (format !== undefined) return format
  const length = between(minLength, maxLength, 'characters')
  if (pattern === undefined) return length
  const named = PATTERNS[pattern]
  if (named !== undefined) return named
  return pattern.length > MAX_PATTERN_SHOWN ? length : pattern
}

function between(
  from: number | undefined,
  to: number | undefined,
  unit: string,
  isAbove = false,
): string {
  const least = from === undefined ? '' : `${isAbove ? 'above' : 'from'} ${from}`
  // The bound of an exact integer is no bound of the API.
  const most = to === undefined || to === Number.MAX_SAFE_INTEGER ? '' : `to ${to}`
  const range = `${least} ${most}`.trim()
  return range === '' ? '' : `${range} ${unit}`.trim()
}

/** Every property of an object, and of the objects inside it that have no name. */
export function rowsOf(schema: Schema, under = ''): SchemaRow[] {
  if (schema.$ref !== undefined) return []
  const variants = variantsOf(schema).filter((one) => !isNull(one))
  const [only] = variants
  if (variants.length === 1 && only) return rowsOf(only, under)
  if (variants.some(({ properties }) => properties))
    return variants.flatMap((one, at) => formRows(one, under, `${at + 1} of ${variants.length}`))
  if (schema.type === 'array' && schema.items) return rowsOf(schema.items, `${under}[]`)
  if (typeof schema.additionalProperties === 'object' && !schema.properties)
    return rowsOf(schema.additionalProperties, `${under}.*`)
  return [...choiceIn(schema, under), ...propertyRows(schema, under)]
}

/** Of an object that wants one of several properties: which they are. */
function choiceIn({ properties, ...schema }: Schema, under: string): SchemaRow[] {
  const names = variantsOf(schema).flatMap(({ required = [] }) => required)
  if (!properties || names.length === 0) return []
  const choice = `${under} one of ${names.join(', ')}`.trim()
  return [{ name: choice, isForm: true, isRequired: true, type: [], bounds: '', description: '' }]
}

const propertyRows = (schema: Schema, under: string): SchemaRow[] =>
  Object.entries(schema.properties ?? {}).flatMap(([key, property]) => {
    const name = under === '' ? key : `${under}.${key}`
    const own: SchemaRow = {
      name,
      isForm: false,
      isRequired: schema.required?.includes(key) ?? false,
      type: typeOf(property),
      bounds: boundsOf(property),
      description: property.description ?? '',
    }
    return [own, ...rowsOf(property, name)]
  })

function formRows(form: Schema, under: string, place: string): SchemaRow[] {
  const fixed = Object.entries(form.properties ?? {})
    .filter(([, property]) => 'const' in property)
    .map(([name, property]) => `${name} ${JSON.stringify(property.const)}`)
  const row: SchemaRow = {
    name: [`${under} form ${place}`.trim(), ...fixed].join(', '),
    isForm: true,
    isRequired: false,
    type: form.$ref === undefined ? [] : typeOf(form),
    bounds: '',
    description: form.description ?? '',
  }
  return [row, ...rowsOf(form, under)]
}
