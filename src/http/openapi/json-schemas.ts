import { z } from 'zod'

/** A JSON Schema of draft 2020-12, which OpenAPI 3.1 uses. */
export type JsonSchema = z.core.JSONSchema.BaseSchema

type SchemaDirection = 'input' | 'output'
type Registry = z.core.$ZodRegistry<{ id: string }>

/** Printable Unicode, as the schemas test it; and a slightly wider form for any regex dialect. */
const PRINTABLE = '^[^\\p{C}\\p{Zl}\\p{Zp}]+$'
const PRINTABLE_ANYWHERE = '^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]+$'

const UNNAMED = 'unnamed'

/**
 * Schemas with names, and others that refer to them, as JSON Schemas. All are constant, and each is converted once:
 * a hundred of them take tenths of a second.
 */
export class NamedSchemas {
  readonly #direction: SchemaDirection
  readonly #uriOf: (name: string) => string
  readonly #registry: Registry = z.registry()
  readonly #inline = new WeakMap<z.ZodType, JsonSchema>()
  #all: Record<string, JsonSchema> | null = null

  constructor(
    schemas: Readonly<Record<string, z.ZodType>>,
    direction: SchemaDirection,
    uriOf: (name: string) => string,
  ) {
    this.#direction = direction
    this.#uriOf = uriOf
    for (const [id, schema] of Object.entries(schemas)) this.#registry.add(schema, { id })
  }

  nameOf(schema: z.ZodType): string | undefined {
    return this.#registry.get(schema)?.id
  }

  /** Each by its name. */
  all(): Readonly<Record<string, JsonSchema>> {
    this.#all ??= this.#converted(this.#registry)
    return this.#all
  }

  /** One without a name; its parts that have one are references. */
  inline(schema: z.ZodType): JsonSchema {
    const made =
      this.#inline.get(schema) ??
      this.#converted(new Unnamed(schema, this.#registry))[UNNAMED] ??
      {}
    this.#inline.set(schema, made)
    return made
  }

  #converted(registry: Registry): Record<string, JsonSchema> {
    const { schemas } = z.toJSONSchema(registry, {
      io: this.#direction,
      uri: this.#uriOf,
      unrepresentable: 'any',
      override: ({ jsonSchema }) => {
        if (isTime(jsonSchema)) jsonSchema.description = asTime(jsonSchema.description)
        if (jsonSchema.pattern === PRINTABLE) jsonSchema.pattern = PRINTABLE_ANYWHERE
        // zod's own word for a pattern, redundant beside it.
        if (jsonSchema.format === 'starts_with') delete jsonSchema.format
        // A bound that every JSON number of this service meets is not worth stating.
        if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
        if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      },
    })
    return Object.fromEntries(
      Object.entries(schemas).map(([id, { $id, $schema, ...schema }]) => [id, schema]),
    )
  }
}

const TIME = 'RFC 3339'

const isTime = ({ format, anyOf = [] }: JsonSchema): boolean =>
  format === 'date-time' || anyOf.some((one) => one.format === 'date-time')

const asTime = (what?: string): string => {
  if (what === undefined) return TIME
  return what.includes(TIME) ? what : `${what} (${TIME})`
}

/** Holds one schema, and names what is in it as another registry does, without converting all of that. */
class Unnamed extends z.core.$ZodRegistry<{ id: string }> {
  readonly #named: Registry

  constructor(schema: z.ZodType, named: Registry) {
    super()
    this.#named = named
    this.add(schema, { id: UNNAMED })
  }

  override get<S extends z.core.$ZodType>(schema: S) {
    return super.get(schema) ?? this.#named.get(schema)
  }
}
