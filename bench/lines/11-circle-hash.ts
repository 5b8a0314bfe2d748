import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { changeGraph, EMPTY_GRAPH, snapshotPieces } from '../../src/circles/graph-bytes.ts'
import { StateHasher } from '../../src/circles/state-hasher.ts'
import { CircleSnapshot } from '../../src/schemas/api/circles.ts'
import { collectGarbage } from '../../test/support/collect-garbage.ts'
import { compare, type Line } from '../harness/line.ts'
import { timed } from '../harness/processor-time.ts'
import { quantile } from '../harness/table.ts'
import { CircleBlocks } from './books/circle-blocks.ts'

const CIRCLES = 20
const SHARDS = 100_000
const QUICK_SHARDS = 1_000
/** Of one round of ours. */
const BLOCKS = 7
/** The ratio that held even on a busy machine. */
const HELD = 25

export const line: Line = {
  number: 11,
  name: 'circle-hash',
  work: `hash of all circles after a block of ${CIRCLES}`,
  peer: '`canonicalize` and SHA-256 of the whole, which give the same hash',
  run: async ({ isQuick, rounds, progress }) => {
    const wanted = isQuick ? QUICK_SHARDS : SHARDS
    progress(`${wanted} shards`)
    const blocks = new CircleBlocks()
    let height = 800_000
    let graph = EMPTY_GRAPH
    const fold = () => {
      height += 1
      graph = changeGraph(graph, blocks.block(height, CIRCLES), graph.revision + CIRCLES)
    }
    while (blocks.shards < wanted) fold()
    const hasher = new StateHasher()
    let stateHash = await hasher.hash(snapshotPieces(graph))
    const whole = () =>
      CircleSnapshot.parse(JSON.parse(Buffer.concat(snapshotPieces(graph)).toString()))
    const hashBlock = async () => {
      const changes = blocks.block(++height, CIRCLES)
      return await timed(async () => {
        graph = changeGraph(graph, changes, graph.revision + CIRCLES)
        stateHash = await hasher.hash(snapshotPieces(graph))
      })
    }
    return [
      await compare(
        {
          name: '',
          sizes: `${blocks.shards} shards, ${Math.round(Buffer.concat(snapshotPieces(graph)).length / 2 ** 20)} MiB canonical, ${BLOCKS} blocks a round`,
          unit: 'ms',
          ratio: 'peer/ours',
          target: { atLeast: HELD },
          // In a quick run the graph is so small that the block's own cost shows.
          rounds,
        },
        async () => {
          collectGarbage()
          const taken: Awaited<ReturnType<typeof hashBlock>>[] = []
          for (let left = BLOCKS; left > 0; left -= 1) taken.push(await hashBlock())
          const median = (values: number[]) => quantile(values, 0.5)
          return {
            figure: median(taken.map(({ ms }) => ms)),
            cpuUs: median(taken.map(({ cpuUs }) => cpuUs)),
          }
        },
        async () => {
          const snapshot = whole()
          collectGarbage()
          const { value, ms, cpuUs } = await timed(() =>
            createHash('sha256')
              .update(canonicalize(snapshot) ?? '')
              .digest('hex'),
          )
          if (value !== stateHash)
            throw new Error('the pieces hash to another value than the whole')
          return { figure: ms, cpuUs }
        },
      ),
    ]
  },
}
