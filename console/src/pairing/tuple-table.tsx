import type { CheckpointTuple } from 'psbt-market-client'
import { Identifier } from '../ui/values/identifier.tsx'

const FIELDS: readonly [field: keyof CheckpointTuple, name: string][] = [
  ['deployment', 'Deployment'],
  ['network', 'Network'],
  ['height', 'Height'],
  ['blockHash', 'Block hash'],
  ['previousCheckpointHash', 'Previous checkpoint'],
  ['objectsRoot', 'Root of objects'],
  ['carriersRoot', 'Root of carriers'],
  ['eventsRoot', 'Root of events'],
  ['checkpointHash', 'Checkpoint'],
]
const HASH = /^[0-9a-f]{64}$/

interface Side {
  name: string
  /** This side's values; a field that it omits is not compared. */
  tuple: Partial<CheckpointTuple>
}

/** The first of the nine fields in which two sides differ, or null. */
export const firstDifference = (a: Side, b: Side): string | null =>
  FIELDS.find(([field]) => differs(a, b, field))?.[1] ?? null

export const FIELD_COUNT = FIELDS.length

/** In how many of the nine both sides are the same; the checkpoint is a hash of the other eight. */
export const countSame = (a: Side, b: Side): number =>
  FIELDS.filter(([field]) =>
    b.tuple[field] === undefined ? isImplied(a, b) : !differs(a, b, field),
  ).length

const isImplied = (a: Side, b: Side): boolean => a.tuple.checkpointHash === b.tuple.checkpointHash

const differs = (a: Side, b: Side, field: keyof CheckpointTuple): boolean =>
  a.tuple[field] !== undefined && b.tuple[field] !== undefined && a.tuple[field] !== b.tuple[field]

/** The nine compared fields, side by side. */
export const TupleTable = ({ own, other }: { own: Side; other: Side }) => (
  <table class="cards">
    <thead>
      <tr>
        <th scope="col">Field</th>
        <th scope="col">{own.name}</th>
        <th scope="col">{other.name}</th>
        <th scope="col">Same</th>
      </tr>
    </thead>
    <tbody>
      {FIELDS.map(([field, name]) => (
        <tr key={field}>
          <th scope="row">{name}</th>
          <td data-label={own.name}>
            <Value text={own.tuple[field]} name={name} />
          </td>
          <td data-label={other.name}>
            <Value text={other.tuple[field]} name={name} />
          </td>
          <td data-label="Same">
            <Same own={own} other={other} field={field} />
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)

function Same({ own, other, field }: { own: Side; other: Side; field: keyof CheckpointTuple }) {
  if (other.tuple[field] !== undefined)
    return differs(own, other, field) ? <strong class="stale">differs</strong> : <>yes</>
  return (
    <span class="quiet">{isImplied(own, other) ? 'yes, by the checkpoint' : 'not stated'}</span>
  )
}

function Value({ text, name }: { text: string | undefined; name: string }) {
  if (text === undefined) return <>–</>
  return HASH.test(text) ? <Identifier id={text} name={name} /> : <bdi class="stranger">{text}</bdi>
}
