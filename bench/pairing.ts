import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pool } from 'undici'
import { systemClock } from '../src/adapters/embedded/system-clock.ts'
import { openDevnet } from '../src/devnet/devnet.ts'
import { playOn } from '../src/roles/devnet/devnet-control.ts'
import { quantile, table } from './table.ts'
import { type Channel, openWire } from './wire.ts'

// Verified reads beside direct ones, 256 at a time over HTTP, of two pipelines in processes of their
// own. Fails where a verified read is not at least half as fast as a direct one of the same run.

const READERS = 256
const ROUND_MS = 4_000
const ROUNDS = 3
const OBJECTS = 20
const LEAST_RATIO = 0.5

const folder = mkdtempSync(join(tmpdir(), 'market-bench-'))
const children: ReturnType<typeof fork>[] = []

function openPipeline() {
  const path = new URL('./pairing-pipeline.ts', import.meta.url).pathname
  const child = fork(path, { execArgv: ['--import', 'tsx'] })
  children.push(child)
  return openWire(child as unknown as Channel, {})
}

/** Blocks with some objects, as hex. */
async function blocks(): Promise<string[]> {
  const devnet = openDevnet({ dataDir: null, clock: systemClock, network: 'regtest' })
  const play = playOn(devnet, 'PAIR')
  for (let n = 0; n < OBJECTS; n++) await play.createObject(`object-${n}`)
  const { height } = (await devnet.node.chain()).tip
  const hexes: string[] = []
  for (let at = 0; at <= height; at++) {
    const body = await devnet.node.rawBlock((await devnet.node.blockHash(at)) ?? '')
    hexes.push(Buffer.from(body ?? []).toString('hex'))
  }
  await devnet.close()
  return hexes
}

interface Round {
  perSecond: number
  p50Ms: number
  p99Ms: number
}

/** So many readers, each with one request out at a time. */
async function load(origin: string, path: string, forMs: number): Promise<Round> {
  const pool = new Pool(origin, { connections: READERS, pipelining: 1 })
  const latencies: number[] = []
  const begun = performance.now()
  const reader = async () => {
    while (performance.now() - begun < forMs) {
      const asked = performance.now()
      const { statusCode, body } = await pool.request({ method: 'GET', path })
      await body.dump()
      if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}`)
      latencies.push(performance.now() - asked)
    }
  }
  await Promise.all(Array.from({ length: READERS }, reader))
  const seconds = (performance.now() - begun) / 1_000
  await pool.close()
  return {
    perSecond: latencies.length / seconds,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
  }
}

try {
  const chain = await blocks()
  const [a, b] = [openPipeline(), openPipeline()]
  const given = (pipeline: 'A' | 'B') => ({
    pipeline,
    directory: join(folder, pipeline),
    blocks: chain,
  })
  const peerUrl = await b<string>('start', { ...given('B'), peerUrl: null })
  const origin = await a<string>('start', { ...given('A'), peerUrl })
  const listed = await fetch(`${origin}/pairing/objects?limit=1`)
  const { items } = (await listed.json()) as { items: { objectKey: string }[] }
  const key = items[0]?.objectKey ?? ''
  const paths = { direct: `/pairing/objects/${key}`, verified: `/pairing/verified/objects/${key}` }

  for (const path of Object.values(paths)) await load(origin, path, 1_000)
  const rows: (string | number)[][] = []
  const ratios: number[] = []
  let reads = 0
  const fetchesBefore = await a<number>('fetches')
  for (let round = 1; round <= ROUNDS; round++) {
    const direct = await load(origin, paths.direct, ROUND_MS)
    const verified = await load(origin, paths.verified, ROUND_MS)
    reads += verified.perSecond * (ROUND_MS / 1_000)
    const ratio = verified.perSecond / direct.perSecond
    ratios.push(ratio)
    for (const [name, { perSecond, p50Ms, p99Ms }] of Object.entries({ direct, verified }))
      rows.push([`${name}, round ${round}`, Math.round(perSecond), p50Ms, p99Ms, ratio])
  }
  const fetches = (await a<number>('fetches')) - fetchesBefore
  console.log(`${READERS} readers, ${cpus().length} cores, Node ${process.version}\n`)
  console.log(table(['route', 'reads/s', 'p50 ms', 'p99 ms', 'ratio'], rows))
  console.log(`\n${(reads / fetches).toFixed(1)} verified reads a fetch of the other pipeline`)
  const ratio = quantile(ratios, 0.5)
  if (ratio < LEAST_RATIO) {
    console.error(`a verified read is ${ratio.toFixed(2)} as fast, not ${LEAST_RATIO}`)
    process.exitCode = 1
  }
} finally {
  for (const child of children) child.kill()
  rmSync(folder, { recursive: true, force: true })
}
