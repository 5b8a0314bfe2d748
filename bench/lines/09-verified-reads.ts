import { compare, type Line } from '../harness/line.ts'
import { PairingPipelines } from './processes/pairing-pipelines.ts'
import { forkPinned, OTHER_CORE } from './processes/pinned.ts'

// BENCH_PROFILE: a folder for a CPU profile of the pipeline that is read.

const READERS = 256
const OBJECTS = 20
const ROUND_MS = 4_000
const QUICK_ROUND_MS = 1_500

export const line: Line = {
  number: 9,
  name: 'verified-reads',
  work: 'verified reads of pairing objects over HTTP',
  peer: 'the direct route of the same pipeline',
  run: async ({ isQuick, rounds }) => {
    const load = { connections: READERS, ms: isQuick ? QUICK_ROUND_MS : ROUND_MS }
    await using pipelines = await PairingPipelines.start(OBJECTS, process.env['BENCH_PROFILE'])
    using client = forkPinned({ module: 'socket-load', core: OTHER_CORE })
    const comparison = await compare(
      {
        name: '',
        sizes: `${READERS} connections, ${OBJECTS} objects`,
        unit: 'reads/s',
        ratio: 'ours/peer',
        target: { atLeast: 0.7 },
        beside: {
          'p99, ms': { target: null, guard: null },
          'reads a fetch from the other pipeline': { target: null, guard: null },
        },
        rounds,
      },
      async () => {
        const before = await pipelines.fetches()
        const { figure, cpuUs, p99Ms, requests } = await pipelines.read(
          client,
          'verified/objects/',
          load,
        )
        const fetches = (await pipelines.fetches()) - before
        const beside = {
          'p99, ms': p99Ms,
          'reads a fetch from the other pipeline': requests / fetches,
        }
        return { figure, cpuUs, beside }
      },
      async () => {
        const { figure, cpuUs, p99Ms } = await pipelines.read(client, 'objects/', load)
        return { figure, cpuUs, beside: { 'p99, ms': p99Ms } }
      },
    )
    return [comparison]
  },
}
