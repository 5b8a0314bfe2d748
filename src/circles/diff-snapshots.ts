import { type CircleSnapshot, SECTIONS, type Section } from '../schemas/api/circles.ts'
import { type JsonPointer, pointerOf } from './json-places.ts'

export interface Difference {
  /** In A, or in B for a record that only B has. */
  pointer: JsonPointer
  /** Absent: the record is only in the other snapshot. */
  a?: string
  b?: string
}

const NAMES = {
  circles: 'txid',
  edges: 'viaOutpoint',
  lineages: 'lineageId',
  shards: 'outpoint',
} as const satisfies Record<Section, string>

/** Differences between A and B: by field for records in both, else the record's name. */
export function* diffSnapshots(a: CircleSnapshot, b: CircleSnapshot): Generator<Difference> {
  if (a.revision !== b.revision) {
    yield { pointer: '/revision', a: String(a.revision), b: String(b.revision) }
  }
  for (const section of SECTIONS) {
    const name = NAMES[section]
    const nameOf = (record: object) => String(Reflect.get(record, name))
    const others = new Map<string, object>(b[section].map((record) => [nameOf(record), record]))
    for (const [place, record] of a[section].entries()) {
      const other = others.get(nameOf(record))
      others.delete(nameOf(record))
      if (other) yield* diffRecords(record, other, [section, place])
      else yield { pointer: pointerOf([section, place]), a: nameOf(record) }
    }
    for (const [place, record] of b[section].entries()) {
      const onlyHere = others.has(nameOf(record))
      if (onlyHere) yield { pointer: pointerOf([section, place]), b: nameOf(record) }
    }
  }
}

function* diffRecords(
  a: object,
  b: object,
  path: readonly (string | number)[],
): Generator<Difference> {
  const fields = new Set([...Object.keys(a), ...Object.keys(b)])
  for (const field of fields) {
    const [one, other]: unknown[] = [Reflect.get(a, field), Reflect.get(b, field)]
    if (typeof one === 'object' && typeof other === 'object' && one && other) {
      yield* diffRecords(one, other, [...path, field])
    } else if (one !== other) {
      yield { pointer: pointerOf([...path, field]), a: String(one), b: String(other) }
    }
  }
}
