import type {
  Circle,
  CircleSnapshot,
  Edge,
  Lineage,
  Member,
  Shard,
} from '../schemas/api/circles.ts'
import { checkCircles, checkOrder } from './check-order.ts'
import { type Fault, fault } from './fault.ts'
import { pointerOf } from './json-places.ts'
import { lineageIdOf } from './outpoint-bytes.ts'

/**
 * Everything in a snapshot except closings, scripts and circle ids follows from its circles: folds
 * them again, and compares every other record with the result.
 */
export function checkGraph(snapshot: CircleSnapshot): Fault | null {
  return checkCircles(snapshot) ?? checkOrder(snapshot) ?? new Refold(snapshot).check()
}

/** A record as derived from the circles, and the last member that determined it. */
interface Made<T> {
  record: T
  by: string
}

class Refold {
  readonly #snapshot: CircleSnapshot
  readonly #actual: ReadonlyMap<string, Shard>
  readonly #txids: ReadonlySet<string>
  readonly #shards = new Map<string, Made<Shard>>()
  readonly #lineages = new Map<string, Made<Lineage>>()
  readonly #edges = new Map<string, Edge>()
  /** The height of each transaction that closes lineages. */
  readonly #closings = new Map<string, number>()

  constructor(snapshot: CircleSnapshot) {
    this.#snapshot = snapshot
    this.#actual = new Map(snapshot.shards.map((shard) => [shard.outpoint, shard]))
    this.#txids = new Set(snapshot.circles.map(({ txid }) => txid))
  }

  check(): Fault | null {
    for (const [place, circle] of this.#snapshot.circles.entries()) {
      for (const [slot, member] of circle.members.entries()) {
        const at = pointerOf(['circles', place, 'members', slot])
        const fault = this.#join(circle, member, at)
        if (fault) return fault
      }
    }
    return (
      this.#checkEdges() ??
      this.#checkShards() ??
      this.#checkLineages() ??
      this.#checkInputs() ??
      this.#checkRevision()
    )
  }

  #join(circle: Circle, member: Member, at: string): Fault | null {
    const { inputOutpoint, outputOutpoint, outputValueSats } = member
    const spent = this.#shards.get(inputOutpoint)?.record
    const expected = spent ? this.#continued(circle, member, spent) : this.#started(circle, member)
    if (typeof expected === 'string') return fault(`${at}/inputOutpoint`, expected)
    const wrong = differs(member, { ...member, ...expected.member }, at)
    if (wrong) return wrong
    const { lineageId } = expected.lineage
    this.#lineages.set(lineageId, { record: expected.lineage, by: at })
    this.#shards.set(outputOutpoint, {
      by: at,
      record: {
        outpoint: outputOutpoint,
        lineageId,
        scriptPubKey: this.#actual.get(outputOutpoint)?.scriptPubKey ?? '',
        valueSats: outputValueSats,
        createdByCircle: circle.txid,
        previousOutpoint: inputOutpoint,
        createdHeight: circle.blockHeight,
        spentByTxid: null,
        spentHeight: null,
      },
    })
    return null
  }

  #continued(circle: Circle, { outputOutpoint, inputOutpoint }: Member, spent: Shard) {
    if (spent.spentByTxid !== null) return `is spent by ${spent.spentByTxid} before`
    const { lineageId, createdByCircle: fromCircle, valueSats: inputValueSats } = spent
    const before = this.#lineages.get(lineageId)?.record
    if (!before) return 'is of no lineage'
    spent.spentByTxid = circle.txid
    spent.spentHeight = circle.blockHeight
    const edge = { fromCircle, toCircle: circle.txid, lineageId, viaOutpoint: inputOutpoint }
    this.#edges.set(inputOutpoint, edge)
    const lineage: Lineage = {
      ...before,
      currentOutpoint: outputOutpoint,
      lastHeight: circle.blockHeight,
      circleCount: before.circleCount + 1,
    }
    return { lineage, member: { lineageId, inputValueSats, wasExistingLineage: true } }
  }

  #started({ blockHeight }: Circle, { inputOutpoint, outputOutpoint }: Member) {
    if (this.#txids.has(inputOutpoint.slice(0, 64))) return 'must be an output of an earlier circle'
    const lineageId = lineageIdOf(inputOutpoint)
    if (this.#lineages.has(lineageId)) return 'is spent by an earlier member'
    const lineage: Lineage = {
      lineageId,
      genesisOutpoint: inputOutpoint,
      currentOutpoint: outputOutpoint,
      status: 'active',
      firstHeight: blockHeight,
      lastHeight: blockHeight,
      circleCount: 1,
      closedByTxid: null,
    }
    return { lineage, member: { lineageId, wasExistingLineage: false } }
  }

  #checkEdges(): Fault | null {
    for (const [place, edge] of this.#snapshot.edges.entries()) {
      const at = pointerOf(['edges', place])
      if (!this.#actual.has(edge.viaOutpoint)) {
        return fault(`${at}/viaOutpoint`, 'there is no such shard')
      }
      const made = this.#edges.get(edge.viaOutpoint)
      if (!made) return fault(`${at}/viaOutpoint`, 'is spent by no circle')
      const wrong = differs(edge, made, at)
      if (wrong) return wrong
      this.#edges.delete(edge.viaOutpoint)
    }
    const [missing] = this.#edges.keys()
    return missing === undefined ? null : fault('/edges', `has no edge through ${missing}`)
  }

  #checkShards(): Fault | null {
    for (const [place, shard] of this.#snapshot.shards.entries()) {
      const at = pointerOf(['shards', place])
      const made = this.#shards.get(shard.outpoint)?.record
      if (!made) return fault(`${at}/outpoint`, 'is made by no circle')
      const wrong =
        (made.spentByTxid === null && this.#close(shard, made, at)) || differs(shard, made, at)
      if (wrong) return wrong
    }
    for (const [outpoint, { by }] of this.#shards) {
      if (!this.#actual.has(outpoint))
        return fault(`${by}/outputOutpoint`, 'there is no such shard')
    }
    return null
  }

  /** Takes the lineage's closing from the shard: nothing else in a snapshot records it. */
  #close(shard: Shard, made: Shard, at: string): Fault | null {
    const { spentByTxid, spentHeight } = shard
    if (spentByTxid === null) return null
    const before = this.#closings.get(spentByTxid)
    if (this.#txids.has(spentByTxid)) {
      return fault(`${at}/spentByTxid`, 'is a circle that does not spend it')
    }
    if (spentHeight === null) return fault(`${at}/spentHeight`, 'must be an integer: it is spent')
    if (spentHeight < made.createdHeight) {
      return fault(`${at}/spentHeight`, `must not be below createdHeight ${made.createdHeight}`)
    }
    if (before !== undefined && before !== spentHeight) {
      return fault(`${at}/spentHeight`, `must be ${before}, as ${spentByTxid} is at that height`)
    }
    this.#closings.set(spentByTxid, spentHeight)
    made.spentByTxid = spentByTxid
    made.spentHeight = spentHeight
    const lineage = this.#lineages.get(made.lineageId)
    if (lineage) {
      lineage.record = {
        ...lineage.record,
        currentOutpoint: null,
        status: 'closed',
        lastHeight: spentHeight,
        closedByTxid: spentByTxid,
      }
    }
    return null
  }

  #checkLineages(): Fault | null {
    for (const [place, lineage] of this.#snapshot.lineages.entries()) {
      const at = pointerOf(['lineages', place])
      const made = this.#lineages.get(lineage.lineageId)
      if (!made) return fault(`${at}/lineageId`, 'is of no circle')
      const wrong = differs(lineage, made.record, at)
      if (wrong) return wrong
      this.#lineages.delete(lineage.lineageId)
    }
    for (const { by } of this.#lineages.values()) {
      return fault(`${by}/lineageId`, 'there is no such lineage')
    }
    return null
  }

  /** An output of a closing transaction cannot be spent below that transaction. */
  #checkInputs(): Fault | null {
    for (const [place, { blockHeight, members }] of this.#snapshot.circles.entries()) {
      for (const [slot, { inputOutpoint }] of members.entries()) {
        const madeAt = this.#closings.get(inputOutpoint.slice(0, 64)) ?? blockHeight
        if (madeAt <= blockHeight) continue
        const at = pointerOf(['circles', place, 'members', slot, 'inputOutpoint'])
        return fault(at, `is made at ${madeAt}, after this circle`)
      }
    }
    return null
  }

  #checkRevision(): Fault | null {
    const { circles, revision } = this.#snapshot
    const closings = this.#closings
    const expected = circles.length + closings.size
    if (revision === expected) return null
    return fault(
      '/revision',
      `must be ${expected}: ${circles.length} circles, ${closings.size} closings`,
    )
  }
}

/** The first field that differs from the expected record. */
function differs<T extends object>(actual: T, expected: T, at: string): Fault | null {
  for (const [field, value] of Object.entries(actual)) {
    const wanted: unknown = Reflect.get(expected, field)
    if (value !== wanted && !Array.isArray(value)) {
      return fault(`${at}/${field}`, `must be ${String(wanted)}`)
    }
  }
  return null
}
