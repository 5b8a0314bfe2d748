import type { z } from 'zod'

/** It is for the schema to say what is wrong with the value, or that nothing is. */
const UNDECIDED = Symbol('undecided')

/** What the schema makes of a value, or `UNDECIDED`. */
type Quick = (value: unknown) => unknown

interface QuickField {
  name: string
  parse: Quick
  isRequired: boolean
}

/** The parts of a schema's definition that are read here. */
interface Definition {
  type: string
  checks?: readonly SchemaPart[]
  /** A string's format, and a check's. */
  check?: string
  format?: string
  pattern?: RegExp
  maximum?: number
  minimum?: number
  value?: number
  inclusive?: boolean
  fn?: (value: unknown) => unknown
  /** The values of a literal, and the entries of an enum. */
  values?: readonly unknown[]
  entries?: Readonly<Record<string, string>>
  shape?: Readonly<Record<string, SchemaPart>>
  catchall?: SchemaPart
  element?: SchemaPart
  innerType?: SchemaPart
  options?: readonly SchemaPart[]
  discriminator?: string
}

interface SchemaPart {
  _zod: { def: Definition }
}

/**
 * A parser that gives what `schema.parse` gives, and throws what it throws, in a fraction of the time
 * where the value is as this release writes it: every part of it is checked all the same (ADR 103). What
 * it does not accept at once goes to the schema. Throws for a schema with parts that it does not know:
 * called where a module is loaded, not with a value.
 */
export function quickParserOf<S extends z.ZodType>(schema: S): (value: unknown) => z.infer<S> {
  const parse = parserOf(schema as unknown as SchemaPart)
  return (value) => {
    const parsed = parse(value)
    return parsed === UNDECIDED ? schema.parse(value) : (parsed as z.infer<S>)
  }
}

function parserOf(schema: SchemaPart): Quick {
  const { def } = schema._zod
  switch (def.type) {
    case 'string':
      return passing(testOf(def, (value) => typeof value === 'string'))
    case 'number':
      return passing(testOf(def, Number.isFinite))
    case 'boolean':
      return passing((value) => typeof value === 'boolean')
    case 'literal':
    case 'enum': {
      const values = new Set<unknown>(def.values ?? Object.values(def.entries ?? {}))
      return passing((value) => values.has(value))
    }
    case 'nullable': {
      const parse = parserOf(innerOf(def))
      return (value) => (value === null ? null : parse(value))
    }
    case 'array':
      return arrayOf(def)
    case 'object':
      return objectOf(def)
    case 'union':
      return unionOf(def)
    default:
      throw unknownPart(def.type)
  }
}

const passing =
  (test: (value: unknown) => boolean): Quick =>
  (value) =>
    test(value) ? value : UNDECIDED

/** A test by type, format and checks, the cheapest first. */
function testOf(
  def: Definition,
  isOfType: (value: unknown) => boolean,
): (value: unknown) => boolean {
  const own = def.check === undefined ? [] : [checkOf(def)]
  const [first, ...others] = [...own, ...(def.checks ?? []).map(({ _zod }) => checkOf(_zod.def))]
  if (!first) return isOfType
  if (others.length === 0) return (value) => isOfType(value) && first(value)
  return (value) => isOfType(value) && first(value) && others.every((check) => check(value))
}

/** A check of a value whose type is right. */
function checkOf(def: Definition): (value: unknown) => boolean {
  const { check, pattern, fn, value: bound = 0, inclusive = false } = def
  if (check === 'string_format' && pattern) return (value) => pattern.test(value as string)
  if (check === 'number_format' && def.format === 'safeint') return Number.isSafeInteger
  if (check === 'custom' && fn) return (value) => fn(value) === true
  if (check === 'max_length') return (value) => (value as string).length <= (def.maximum ?? 0)
  if (check === 'min_length') return (value) => (value as string).length >= (def.minimum ?? 0)
  if (check === 'greater_than')
    return (value) => (value as number) > bound || (inclusive && value === bound)
  if (check === 'less_than')
    return (value) => (value as number) < bound || (inclusive && value === bound)
  throw unknownPart(`check ${check}`)
}

function arrayOf({ element, checks = [] }: Definition): Quick {
  if (!element) throw unknownPart('array')
  const parse = parserOf(element)
  const tests = checks.map(({ _zod }) => checkOf(_zod.def))
  return (value) => {
    if (!Array.isArray(value) || !tests.every((test) => test(value))) return UNDECIDED
    let parsed: unknown[] | null = null
    for (let at = 0; at < value.length; at += 1) {
      const made = parse(value[at])
      if (made === UNDECIDED) return UNDECIDED
      if (made === value[at]) continue
      parsed ??= [...(value as unknown[])]
      parsed[at] = made
    }
    return parsed ?? value
  }
}

/**
 * Fields come in the order of the schema, as it gives them: documents depend on it. An object that has
 * them so is given back itself.
 */
function objectOf({ shape = {}, catchall, checks = [] }: Definition): Quick {
  if (catchall?._zod.def.type !== 'never' || checks.length > 0) throw unknownPart('open object')
  const fields = Object.entries(shape).map(([name, schema]): QuickField => {
    const isRequired = schema._zod.def.type !== 'optional'
    return { name, isRequired, parse: parserOf(isRequired ? schema : innerOf(schema._zod.def)) }
  })
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return UNDECIDED
    const given = value as Record<string, unknown>
    return isAsWritten(fields, given) ? value : putInOrder(fields, given)
  }
}

/** All fields are valid, none has to be changed, and they come in the order of the schema. */
function isAsWritten(
  fields: readonly QuickField[],
  given: Readonly<Record<string, unknown>>,
): boolean {
  const names = Object.keys(given)
  let at = 0
  for (const { name, isRequired, parse } of fields) {
    if (names[at] === name) {
      const field = given[name]
      if (parse(field) !== field) return false
      at += 1
    } else if (isRequired) return false
  }
  return at === names.length
}

function putInOrder(
  fields: readonly QuickField[],
  given: Readonly<Record<string, unknown>>,
): unknown {
  const parsed: Record<string, unknown> = {}
  let count = 0
  for (const { name, isRequired, parse } of fields) {
    const field = given[name]
    if (field === undefined) {
      if (isRequired) return UNDECIDED
      continue
    }
    const made = parse(field)
    if (made === UNDECIDED) return UNDECIDED
    parsed[name] = made
    count += 1
  }
  return Object.keys(given).length === count ? parsed : UNDECIDED
}

function unionOf({ options = [], discriminator }: Definition): Quick {
  if (discriminator === undefined) throw unknownPart('union')
  const parsers = new Map<unknown, Quick>()
  for (const option of options) {
    const { shape, values, entries } = option._zod.def
    const named = shape?.[discriminator]?._zod.def
    const names = named?.values ?? Object.values(named?.entries ?? {})
    if (values || entries || names.length === 0) throw unknownPart('union')
    const parse = parserOf(option)
    for (const name of names) parsers.set(name, parse)
  }
  return (value) => {
    if (typeof value !== 'object' || value === null) return UNDECIDED
    const parse = parsers.get((value as Record<string, unknown>)[discriminator])
    return parse ? parse(value) : UNDECIDED
  }
}

function innerOf({ type, innerType }: Definition): SchemaPart {
  if (!innerType) throw unknownPart(type)
  const inner = innerType._zod.def
  // `partial` of a field that is optional already.
  return inner.type === 'optional' ? innerOf(inner) : innerType
}

const unknownPart = (what: string): Error => new Error(`no quick parser for a schema's ${what}`)
