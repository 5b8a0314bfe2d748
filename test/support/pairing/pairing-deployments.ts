import { createHash, randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { crypto, script, Transaction } from 'bitcoinjs-lib'
import { z } from 'zod'
import { createMarker } from '../../../src/devnet/people/object-transactions.ts'
import { publicKeyOf } from '../../../src/domain/script/schnorr.ts'
import type { Pipeline } from '../../../src/pairing/agreement/signing.ts'
import { type Bundle, bundleService } from '../bundle.ts'
import { temporaryDirectory } from '../embedded.ts'
import { fetchUnlessShed } from '../market/fetch-unless-shed.ts'
import { type Core, prepareCore } from '../services/core.ts'
import { freePort, waitUntil } from '../services/programs.ts'
import { ServiceProcess } from '../services/service-process.ts'

const ANYONE = 'raw(51)'
const SUBSIDY_SATS = 5_000_000_000n
const COINBASE_MATURITY = 100
const CARRIER_SATS = 10_000n
/** Anyone who reveals a script that evaluates to true may spend it. */
const WITNESS_SCRIPT = Uint8Array.of(0x51)
const CARRIER_SCRIPT = script.compile([0, crypto.sha256(WITNESS_SCRIPT)])

const Generated = z.object({ hash: z.string() })
const CoinbaseBlock = z.object({ tx: z.array(z.string()).min(1) })

/** One deployment: a node, a store and a key of its own. */
export interface Deployment {
  pipeline: Pipeline
  core: Core
  privateKey: string
  publicKey: string
  /** Its address; the same across restarts. */
  address: string
  process: ServiceProcess | null
}

/**
 * A and B on this machine, each over its own Bitcoin Core; nothing passes between the nodes by
 * itself.
 */
export class PairingDeployments {
  readonly a: Deployment
  readonly b: Deployment
  readonly #bundle: Bundle
  readonly #directory = temporaryDirectory()
  /** B's address, as A has it. */
  peerUrl: string
  #coinbases = 0

  static async open(): Promise<PairingDeployments> {
    const [bundle, a, b] = await Promise.all([bundleService(), deployment('A'), deployment('B')])
    const pair = new PairingDeployments(bundle, a, b)
    await Promise.all([a.core.start(), b.core.start()])
    return pair
  }

  private constructor(bundle: Bundle, a: Deployment, b: Deployment) {
    this.#bundle = bundle
    this.a = a
    this.b = b
    this.peerUrl = b.address
  }

  /** Starts the process of a deployment and waits until it answers. */
  async start(one: Deployment, variables: Record<string, string> = {}): Promise<void> {
    this.launch(one, variables)
    await waitUntil(`pipeline ${one.pipeline} answers`, async () => {
      if (one.process?.stderr) throw new Error(one.process.stderr)
      return (await answerOf(one, '/livez').catch(() => null))?.status === 200
    })
  }

  /** As `start`, without waiting. */
  launch(one: Deployment, variables: Record<string, string> = {}): void {
    const [port = '', metricsPort = ''] = portsOf(one)
    one.process = new ServiceProcess(this.#bundle, ['start'], {
      ROLE: 'pairing',
      DATA_DIR: join(this.#directory.path, one.pipeline),
      PORT: port,
      METRICS_PORT: metricsPort,
      BITCOIN_RPC_URL: one.core.url,
      BITCOIN_RPC_COOKIE_FILE: one.core.cookieFile,
      MEMPOOL_POLL_MS: '100',
      PAIRING_DEPLOYMENT: 'two-deployments',
      PAIRING_PIPELINE: one.pipeline,
      PAIRING_KEY_ID: keyIdOf(one),
      PAIRING_PRIVATE_KEY: one.privateKey,
      PAIRING_RELEASE_NAME: 'market',
      PAIRING_RELEASE_VERSION: 'test',
      PAIRING_RELEASE_COMMIT: 'test',
      PAIRING_RELEASE_DIGEST: 'test',
      PAIRING_TRUSTED_A: `${keyIdOf(this.a)}:${this.a.publicKey}`,
      PAIRING_TRUSTED_B: `${keyIdOf(this.b)}:${this.b.publicKey}`,
      PAIRING_B_URL: one === this.a ? this.peerUrl : this.a.address,
      // The first answers of a process on a busy machine take more than half a second.
      PAIRING_B_TIMEOUT_MS: '5000',
      ...variables,
    })
  }

  async end(one: Deployment, signal: NodeJS.Signals = 'SIGTERM') {
    const ended = await one.process?.end(signal)
    one.process = null
    return ended
  }

  /** Removes the store of a deployment that is not running. */
  forget(one: Deployment): void {
    rmSync(join(this.#directory.path, one.pipeline), { recursive: true, force: true })
  }

  /** Mines one block on a node with these transactions, and nowhere else. Its hash. */
  async mineOn({ core }: Deployment, transactions: readonly Transaction[] = []): Promise<string> {
    // Blocks of two nodes at one height would be the same one otherwise.
    const output = `raw(04${(++this.#coinbases).toString(16).padStart(8, '0')})`
    const hexes = transactions.map((transaction) => transaction.toHex())
    return Generated.parse(await core.rpc('generateblock', output, hexes)).hash
  }

  /** Mines one block that both nodes have. */
  async mine(transactions: readonly Transaction[] = []): Promise<string> {
    const hash = await this.mineOn(this.a, transactions)
    await this.give(hash, this.a, this.b)
    return hash
  }

  /** Mines this many blocks whose coinbases anyone may spend, on both nodes. */
  async mineCoins(count: number): Promise<void> {
    const hashes = z
      .array(z.string())
      .parse(await this.a.core.rpc('generatetodescriptor', count, ANYONE))
    for (const hash of hashes) await this.give(hash, this.a, this.b)
  }

  async give(hash: string, from: Deployment, to: Deployment): Promise<void> {
    await to.core.rpc('submitblock', await from.core.rpc('getblock', hash, 0))
  }

  /** A transaction that makes an object from the coinbase at this height, on output 0. */
  async createObject(height: number, label: string): Promise<Transaction> {
    const hash = await this.a.core.rpc('getblockhash', height)
    const { tx } = CoinbaseBlock.parse(await this.a.core.rpc('getblock', hash))
    const transaction = new Transaction()
    transaction.version = 2
    transaction.addInput(Buffer.from(tx[0] ?? '', 'hex').reverse(), 0)
    transaction.addOutput(CARRIER_SCRIPT, CARRIER_SATS)
    const contentHash = createHash('sha256').update(label).digest()
    transaction.addOutput(createMarker('PAIR', { vout: 0, contentHash, label }), 0n)
    transaction.addOutput(WITNESS_SCRIPT, SUBSIDY_SATS - CARRIER_SATS)
    return transaction
  }

  /** Spends the carrier on output 0 of a transaction: its object is released. */
  releaseObject(created: Transaction): Transaction {
    const transaction = new Transaction()
    transaction.version = 2
    transaction.addInput(created.getHash(), 0)
    transaction.setWitness(0, [WITNESS_SCRIPT])
    transaction.addOutput(WITNESS_SCRIPT, CARRIER_SATS)
    return transaction
  }

  /** Waits until a deployment is ready and has folded its node's tip. */
  async level(one: Deployment): Promise<void> {
    await waitUntil(`pipeline ${one.pipeline} is level`, async () => {
      const { body } = await answerOf(one, '/ready')
      const { ready, nodeHeight, canonicalHeight } = JSON.parse(body)
      const height = await one.core.rpc('getblockcount')
      const hash = await one.core.rpc('getbestblockhash')
      if (!ready || nodeHeight !== height || canonicalHeight !== height) return false
      const latest = await answerOf(one, '/pairing/checkpoints?limit=1')
      return JSON.parse(latest.body).items[0]?.blockHash === hash
    })
  }

  async close(): Promise<void> {
    for (const one of [this.a, this.b]) {
      await this.end(one, 'SIGKILL')
      await one.core.close()
    }
    this.#bundle.drop()
    this.#directory.drop()
  }
}

/** Below a coinbase of this height no block may spend it. */
export const matureAt = (height: number): number => height + COINBASE_MATURITY

export const keyIdOf = ({ pipeline }: Deployment): string => `key-${pipeline.toLowerCase()}`

export async function answerOf(
  { address }: Pick<Deployment, 'address'>,
  path: string,
): Promise<{ status: number; body: string }> {
  const answer = await fetchUnlessShed(`${address}${path}`)
  return { status: answer.status, body: await answer.text() }
}

/** Verified reads that a deployment counted, by outcome. */
export async function outcomesOf(one: Deployment): Promise<Record<string, number>> {
  const [, metricsPort] = portsOf(one)
  const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  const counted = metrics.matchAll(
    /^market_pairing_verified_reads_total\{outcome="(\w+)"\} (\d+)$/gm,
  )
  return Object.fromEntries([...counted].map(([, outcome = '', count]) => [outcome, Number(count)]))
}

/** Causes that a deployment logged, in order. */
export const causesOf = ({ process }: Deployment): string[] =>
  (process?.log() ?? []).flatMap(({ cause }) => (typeof cause === 'string' ? [cause] : []))

const ports = new WeakMap<Deployment, string[]>()
const portsOf = (one: Deployment): string[] => ports.get(one) ?? []

async function deployment(pipeline: Pipeline): Promise<Deployment> {
  const [core, port, metricsPort] = await Promise.all([prepareCore(), freePort(), freePort()])
  const secret = randomBytes(32)
  const one: Deployment = {
    pipeline,
    core,
    privateKey: secret.toString('hex'),
    publicKey: Buffer.from(publicKeyOf(secret) ?? []).toString('hex'),
    address: `http://127.0.0.1:${port}`,
    process: null,
  }
  ports.set(one, [String(port), String(metricsPort)])
  return one
}
