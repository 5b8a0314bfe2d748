import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../src/adapters/embedded/system-clock.ts'
import { openDevnet } from '../../src/devnet/devnet.ts'
import { playOn } from '../../src/roles/devnet/devnet-control.ts'
import { compare, type Line } from '../harness/line.ts'
import { loaded } from './loaded.ts'
import { ended, forkPinned, OTHER_CORE, SERVER_CORE } from './pinned.ts'

// Two pipelines in processes of their own. The one that is read has a core of its own; the other,
// which it queries, shares the second core with the client. BENCH_PROFILE: a folder for a CPU
// profile of the first.

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
    const ms = isQuick ? QUICK_ROUND_MS : ROUND_MS
    const folder = mkdtempSync(join(tmpdir(), 'market-bench-'))
    const module = 'pairing-pipeline'
    using a = forkPinned({ module, core: SERVER_CORE, profile: process.env['BENCH_PROFILE'] })
    using b = forkPinned({ module, core: OTHER_CORE })
    using client = forkPinned({ module: 'socket-load', core: OTHER_CORE })
    try {
      const chain = await blocks()
      const given = (pipeline: 'A' | 'B', peerUrl: string | null) => {
        return { pipeline, directory: join(folder, pipeline), blocks: chain, peerUrl }
      }
      const peerUrl = await b.call<string>('start', given('B', null))
      const origin = await a.call<string>('start', given('A', peerUrl))
      const keys = await objectKeys(origin)
      const port = Number(new URL(origin).port)
      const read = (route: string) => {
        const paths = keys.map((key) => `/pairing/${route}${key}`)
        return loaded(a, client, { port, connections: READERS, paths, ms })
      }
      const comparison = await compare(
        {
          name: '',
          sizes: `${READERS} connections, ${OBJECTS} objects`,
          unit: 'reads/s',
          ratio: 'ours/peer',
          target: { atLeast: 0.7 },
          guard: { atLeast: 0.5 },
          beside: {
            'p99, ms': { target: null, guard: null },
            'reads a fetch from the other pipeline': { target: null, guard: null },
          },
          rounds,
        },
        async () => {
          const before = await a.call<number>('fetches')
          const { figure, cpuUs, p99Ms, requests } = await read('verified/objects/')
          const fetches = (await a.call<number>('fetches')) - before
          const beside = {
            'p99, ms': p99Ms,
            'reads a fetch from the other pipeline': requests / fetches,
          }
          return { figure, cpuUs, beside }
        },
        async () => {
          const { figure, cpuUs, p99Ms } = await read('objects/')
          return { figure, cpuUs, beside: { 'p99, ms': p99Ms } }
        },
      )
      await ended(a)
      return [comparison]
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

/** Serialised in hex, with some objects. */
async function blocks(): Promise<string[]> {
  const devnet = openDevnet({ dataDir: null, clock: systemClock, network: 'regtest' })
  const play = playOn(devnet, 'PAIR')
  for (let n = 0; n < OBJECTS; n += 1) await play.createObject(`object-${n}`)
  const { height } = (await devnet.node.chain()).tip
  const hexes: string[] = []
  for (let at = 0; at <= height; at += 1) {
    const hash = await devnet.node.blockHash(at)
    const body = hash && (await devnet.node.rawBlock(hash))
    hexes.push(Buffer.from(body ?? []).toString('hex'))
  }
  await devnet.close()
  return hexes
}

async function objectKeys(origin: string): Promise<string[]> {
  const listed = await fetch(`${origin}/pairing/objects?limit=${OBJECTS}`)
  const { items } = (await listed.json()) as { items: { objectKey: string }[] }
  return items.map(({ objectKey }) => objectKey)
}
