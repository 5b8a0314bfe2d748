import { createHash } from 'node:crypto'
import { cpus } from 'node:os'
import canonicalize from 'canonicalize'
import { changeGraph, EMPTY_GRAPH, snapshotPieces } from '../src/circles/graph-bytes.ts'
import { circleKey, edgeKey, shardKey } from '../src/circles/record-keys.ts'
import { StateHasher } from '../src/circles/state-hasher.ts'
import type { RecordChange } from '../src/ports/folds/circle-store.ts'
import {
  CircleSnapshot,
  type Lineage,
  type Member,
  SECTIONS,
  type Section,
  type SectionRecords,
  type Shard,
} from '../src/schemas/api/circles.ts'
import { toOutpointText } from '../test/support/ids.ts'
import { dice } from '../test/support/orders/order-book.ts'
import { quantile, table } from './table.ts'

// The state hash after a block of 20 circles, on a graph of so many shards, against canonicalising
// and hashing the whole of it. Both end in the same hash. Fails below the limit.

const SHARDS = Number(process.env['BENCH_SHARDS'] ?? 100_000)
const LIMIT = 30
const CIRCLES = 20
const BLOCKS = 31
const PEERS = 9
/** Of five members four go on with a lineage, as long as there is one. */
const CONTINUED = 0.8

const random = dice(7)
/** Unspent shards with their lineages: all that blocks need to know of what was before them. */
const current: { shard: Shard; lineage: Lineage }[] = []
let shards = 0

/** 2 to 16 members, the fewer the more often. */
const size = (): number => 2 + random.below(1 + random.below(15))

/** The changes of a block of circles. */
function block(height: number, circles: number): RecordChange[] {
  const changes = new Map<string, RecordChange>()
  const put = <S extends Section>(section: S, key: string, after: SectionRecords[S]) =>
    changes.set(`${section} ${key}`, { section, key, before: null, after } as RecordChange)
  for (let index = 1; index <= circles; index++) {
    const txid = random.hex(32)
    const key = circleKey(height, index)
    const members = Array.from({ length: size() }, (_, slot): Member => {
      const goesOn = current.length > 100 && random.chance(CONTINUED)
      const spent = goesOn ? current.splice(random.below(current.length), 1)[0] : undefined
      const outpoint = toOutpointText(`${txid}:${slot}`)
      const lineage: Lineage = {
        lineageId: random.hex(32),
        genesisOutpoint: toOutpointText(`${random.hex(32)}:${random.below(4)}`),
        status: 'active',
        firstHeight: height,
        closedByTxid: null,
        ...spent?.lineage,
        currentOutpoint: outpoint,
        lastHeight: height,
        circleCount: (spent?.lineage.circleCount ?? 0) + 1,
      }
      const { lineageId } = lineage
      const inputOutpoint = spent?.shard.outpoint ?? lineage.genesisOutpoint
      const shard: Shard = {
        outpoint,
        lineageId,
        scriptPubKey: `5120${random.hex(32)}`,
        valueSats: '1000000',
        createdByCircle: txid,
        previousOutpoint: inputOutpoint,
        createdHeight: height,
        spentByTxid: null,
        spentHeight: null,
      }
      if (spent) {
        const { shard: before } = spent
        put('shards', shardKey(inputOutpoint), {
          ...before,
          spentByTxid: txid,
          spentHeight: height,
        })
        put('edges', edgeKey(key, inputOutpoint), {
          fromCircle: before.createdByCircle,
          toCircle: txid,
          lineageId,
          viaOutpoint: inputOutpoint,
        })
      }
      put('lineages', lineageId, lineage)
      put('shards', shardKey(outpoint), shard)
      current.push({ shard, lineage })
      shards += 1
      return {
        slot,
        lineageId,
        inputOutpoint,
        outputOutpoint: outpoint,
        inputValueSats: '1000100',
        outputValueSats: '1000000',
        feeShareSats: '100',
        wasExistingLineage: spent !== undefined,
      }
    })
    put('circles', key, {
      txid,
      wtxid: random.hex(32),
      contextHash: random.hex(32),
      participantCount: members.length,
      feeSats: String(members.length * 100),
      blockHeight: height,
      blockHash: random.hex(32),
      transactionIndex: index,
      members,
    })
  }
  return [...changes.values()]
}

const milliseconds = async (work: () => Promise<void>): Promise<number> => {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

let height = 800_000
let graph = EMPTY_GRAPH
const fold = (changes: readonly RecordChange[]) => {
  graph = changeGraph(graph, changes, graph.revision + CIRCLES)
}
while (shards < SHARDS) fold(block(height++, CIRCLES))
const hasher = new StateHasher()
await hasher.hash(snapshotPieces(graph))

const ours: number[] = []
let stateHash = ''
for (let left = BLOCKS; left > 0; left--) {
  const changes = block(height++, CIRCLES)
  const took = await milliseconds(async () => {
    fold(changes)
    stateHash = await hasher.hash(snapshotPieces(graph))
  })
  ours.push(took)
}

// The whole as one object comes into memory only now, so that it is in nobody's way before.
const snapshot = CircleSnapshot.parse(JSON.parse(Buffer.concat(snapshotPieces(graph)).toString()))
const peers: number[] = []
let text = ''
for (let left = PEERS; left > 0; left--) {
  peers.push(
    await milliseconds(async () => {
      text = canonicalize(snapshot) ?? ''
    }),
  )
}
if (createHash('sha256').update(text).digest('hex') !== stateHash) {
  throw new Error('the hash over the pieces is not that of the whole')
}

const sizes = SECTIONS.map((section) => `${snapshot[section].length} ${section}`).join(', ')
console.log(
  `${sizes}: ${(text.length / 2 ** 20).toFixed(0)} MiB canonical, ${cpus().length} cores, Node ${process.version}\n`,
)
const ratio = quantile(peers, 0.5) / quantile(ours, 0.5)
const row = (label: string, samples: readonly number[]) => [
  label,
  Math.min(...samples),
  quantile(samples, 0.5),
  quantile(samples, 0.5) / quantile(ours, 0.5),
]
console.log(
  table(
    ['after a block of 20 circles', 'best ms', 'median ms', 'ratio of medians'],
    [row('hash over cached pieces', ours), row('canonicalize of the whole', peers)],
  ),
)
console.log(`\n${ratio.toFixed(1)} times faster, ${LIMIT} are wanted`)
if (ratio < LIMIT) process.exitCode = 1
