import canonicalize from 'canonicalize'
import type { RecordChange } from '../ports/folds/circle-store.ts'
import {
  Circle,
  type CircleSnapshot,
  Edge,
  Lineage,
  Member,
  type Section,
  type SectionRecords,
  Shard,
} from '../schemas/api/circles.ts'
import { changeLeaves, type Leaves } from './leaves.ts'

/** The canonical bytes of a whole graph, in pieces that later graphs share. Immutable. */
export interface GraphBytes {
  sections: Readonly<Record<Section, Leaves>>
  revision: number
}

export const EMPTY_GRAPH: GraphBytes = {
  sections: { circles: [], edges: [], lineages: [], shards: [] },
  revision: 0,
}

/** ASCII names sort as RFC 8785 requires. */
const fieldsOf = ({ shape }: { shape: object }): readonly string[] => Object.keys(shape).sort()

const FIELDS: Readonly<Record<Section, readonly string[]>> = {
  circles: fieldsOf(Circle),
  edges: fieldsOf(Edge),
  lineages: fieldsOf(Lineage),
  shards: fieldsOf(Shard),
}
const MEMBER_FIELDS = fieldsOf(Member)

/**
 * One record by RFC 8785. An array's canonical form is that of its items joined by commas, so the
 * snapshot's is joined from these. Records hold only ASCII without escapes, safe integers, booleans
 * and nulls, which `JSON.stringify` writes as the RFC does, in field order.
 */
export function canonicalRecord<S extends Section>(section: S, record: SectionRecords[S]): Buffer {
  const sorted = inOrder(record, FIELDS[section])
  if ('members' in record) {
    sorted['members'] = record.members.map((member) => inOrder(member, MEMBER_FIELDS))
  }
  return Buffer.from(JSON.stringify(sorted), 'latin1')
}

function inOrder(record: object, fields: readonly string[]): Record<string, unknown> {
  const sorted: Record<string, unknown> = {}
  for (const field of fields) sorted[field] = Reflect.get(record, field)
  return sorted
}

/** The graph after changes; the cost is proportional to the leaves they touch. */
export function changeGraph(
  graph: GraphBytes,
  changes: readonly RecordChange[],
  revision: number,
): GraphBytes {
  const change = (section: Section): Leaves =>
    changeLeaves(
      graph.sections[section],
      changes
        .filter((one) => one.section === section)
        .map(({ key, after }) => ({ key, bytes: after && canonicalRecord(section, after) })),
    )
  return {
    sections: {
      circles: change('circles'),
      edges: change('edges'),
      lineages: change('lineages'),
      shards: change('shards'),
    },
    revision,
  }
}

/** Placeholder for an array or the revision in the frame below; no other string there equals it. */
const HOLE = 'records'

/** The bytes around the four arrays and the revision, from canonicalising with placeholders. */
const FRAME = frame()

/** The snapshot's bytes: unchanged pieces are the same objects as before. */
export function snapshotPieces({ sections, revision }: GraphBytes): Buffer[] {
  const pieces: Buffer[] = []
  for (const part of FRAME) {
    if (part === 'revision') pieces.push(Buffer.from(String(revision)))
    else if (Buffer.isBuffer(part)) pieces.push(part)
    else {
      for (const [place, leaf] of sections[part].entries()) {
        pieces.push(place === 0 ? leaf.head : leaf.bytes)
      }
    }
  }
  return pieces
}

function frame(): readonly (Buffer | Section | 'revision')[] {
  const shape: Record<keyof CircleSnapshot, unknown> = {
    protocol: 'circles',
    version: 1,
    revision: HOLE,
    lineages: [HOLE],
    shards: [HOLE],
    circles: [HOLE],
    edges: [HOLE],
  }
  const texts = (canonicalize(shape) ?? '').split(`"${HOLE}"`).map((text) => Buffer.from(text))
  const holes = (Object.keys(shape) as (keyof CircleSnapshot)[])
    .filter((name) => name !== 'protocol' && name !== 'version')
    .sort()
  return texts.flatMap((text, at) => [text, holes[at] ?? []].flat())
}
