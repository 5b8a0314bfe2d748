import { expect } from 'vitest'
import { GATEWAY_API } from './gateway-api.ts'

// The types of the specification, independent of the service's schemas: they are compared with
// answers as received.

/** Fails unless the value is of its type. */
export type Check = (value: unknown) => void

export const text: Check = (value) => expect(value).toBeTypeOf('string')
export const flag: Check = (value) => expect(value).toBeTypeOf('boolean')
export const number: Check = (value) => expect(value).toBeTypeOf('number')
export const integer: Check = (value) => expect(value).toSatisfy(Number.isSafeInteger)
export const object: Check = (value) => expect(Object.keys(value as object)).not.toEqual([])
/** Decimal digits as a string: no sign, point, group or leading zero. */
export const sats: Check = (value) => {
  text(value)
  expect(value).toMatch(/^(0|[1-9][0-9]*)$/)
}
export const oneOf =
  (...values: readonly unknown[]): Check =>
  (value) =>
    expect(values).toContain(value)
export const nullOr =
  (check: Check): Check =>
  (value) => {
    if (value !== null) check(value)
  }
export const listOf =
  (check: Check): Check =>
  (value) => {
    expect(value).toBeInstanceOf(Array)
    for (const item of value as unknown[]) check(item)
  }

/** A record of the table of that name: every field that it must have, and no other. */
export const record =
  (name: string): Check =>
  (value) => {
    const keys = Object.keys(value as object)
    const rows = Object.entries(GATEWAY_API).flatMap(([id, line]) =>
      id.startsWith(`2.2 ${name}.`) ? [{ field: id.slice(name.length + 5), line }] : [],
    )
    const required = rows.filter(({ line }) => !line.startsWith('optional'))
    expect(keys, name).toEqual(expect.arrayContaining(required.map(({ field }) => field)))
    expect(
      rows.map(({ field }) => field),
      name,
    ).toEqual(expect.arrayContaining(keys))
  }

type Records = readonly object[]
const valuesOf = (records: Records, field: string): unknown[] =>
  records.flatMap((one) => (Object.hasOwn(one, field) ? [one[field as keyof typeof one]] : []))

/** Every record has the field, and it is of its type. */
export function always(records: Records, field: string, check: Check): void {
  const values = valuesOf(records, field)
  expect(values).toHaveLength(records.length)
  expect(values).not.toHaveLength(0)
  for (const value of values) check(value)
}

/** Some record has the field; where present it has its type. */
export function whenThere(records: Records, field: string, check: Check): void {
  const values = valuesOf(records, field)
  expect(values).not.toHaveLength(0)
  for (const value of values) check(value)
}

/** Some records have the field, some do not; where present it has its type. */
export function sometimes(records: Records, field: string, check: Check): void {
  whenThere(records, field, check)
  expect(valuesOf(records, field).length).toBeLessThan(records.length)
}
