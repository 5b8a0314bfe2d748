import { createHash } from 'node:crypto'
import { hex } from '@scure/base'
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import pino from 'pino'
import { Registry } from 'prom-client'
import { addressOfScript } from '../../../src/domain/script/address.ts'
import { publicKeyOf } from '../../../src/domain/script/schnorr.ts'
import { DEFAULT_HTTP_SETTINGS } from '../../../src/http/app.ts'
import { buildMessageApp } from '../../../src/http/message-app.ts'
import { pairingRoutes } from '../../../src/http/pairing/routes.ts'
import { openSigner, type Pipeline, type Signer } from '../../../src/pairing/agreement/signing.ts'
import {
  openPairingService,
  type PairingMetric,
  type PairingParts,
  type PairingService,
  type PairingServiceSettings,
} from '../../../src/pairing/pairing-service.ts'
import type { Divergences, PlacedDivergence } from '../../../src/ports/folds/divergences.ts'
import type { PeerAgreement, PeerAnswer } from '../../../src/ports/folds/peer-agreement.ts'
import type {
  AgreementEnvelope,
  CheckpointTuple,
  Divergence,
} from '../../../src/schemas/api/pairing.ts'
import type { Operator } from '../../../src/schemas/config/config.ts'
import type { Network } from '../../../src/schemas/scalars.ts'
import { MemoryPairingViews } from '../folds/memory-pairing-views.ts'
import { TEST_CURSORS } from '../http/test-cursors.ts'
import { type AnyHash, toAnyHash, toOutpointText } from '../ids.ts'
import { ManualClock } from '../manual-clock.ts'

/** 32 bytes derived from a label, lowercase hex. */
export const hash = (of: string): AnyHash =>
  toAnyHash(createHash('sha256').update(of).digest('hex'))

export const DEPLOYMENT = 'test-1'
export const RELEASE = { name: 'market', version: '0.1.0', commit: 'c0ffee', digest: 'd1' }
export const privateKeyOf = (keyId: string): string => hash(`key of ${keyId}`)
export const xOnlyOf = (keyId: string): string =>
  hex.encode(publicKeyOf(hex.decode(privateKeyOf(keyId))) ?? new Uint8Array())

/** A pipeline that signs, as A or B, with the key of that id. */
export function signerOf(pipeline: Pipeline, keyId: string): Signer {
  const signing = { keyId, privateKey: privateKeyOf(keyId), release: RELEASE }
  const signer = openSigner(pipeline, signing)
  if (!signer) throw new Error('the key of the test is no key')
  return signer
}

export const tupleAt = (
  height: number,
  { deployment = DEPLOYMENT, network = 'regtest' }: Partial<CheckpointTuple> = {},
): CheckpointTuple => ({
  deployment,
  network,
  height: String(height),
  blockHash: hash(`block ${height}`),
  previousCheckpointHash: hash(`checkpoint ${height - 1}`),
  objectsRoot: hash(`objects ${height}`),
  carriersRoot: hash(`carriers ${height}`),
  eventsRoot: hash(`events ${height}`),
  checkpointHash: hash(`checkpoint ${height}`),
})

/** A P2WSH script derived from a label. */
export const scriptOf = (what: string): string => `0020${hash(what)}`
export const addressOf = (what: string, network: Network = 'regtest'): string =>
  addressOfScript(scriptOf(what), network) ?? ''

export const OBJECT_KEY = hash('object')
export const TXID = hash('transaction')
/** Recorded, without an event. */
export const QUIET_TXID = hash('quiet transaction')
export const TIP = 105

export function recordsOf(network: Network = 'regtest') {
  const carrier = {
    txid: TXID,
    vout: 1,
    objectKey: OBJECT_KEY,
    address: addressOf('carrier', network),
    scriptHex: scriptOf('carrier'),
    valueSats: '10000',
    createdHeight: TIP,
    spentByTxid: null,
    spentHeight: null,
  }
  const object = {
    objectKey: OBJECT_KEY,
    contentHash: hash('content'),
    label: 'Label.one',
    status: 'active' as const,
    carrier: toOutpointText(`${TXID}:1`),
    address: carrier.address,
    pairId: null,
    pairedWith: null,
    createdTxid: TXID,
    createdHeight: TIP,
    eventCount: 1,
  }
  const transaction = {
    txid: TXID,
    height: TIP,
    blockHash: hash(`block ${TIP}`),
    transactionIndex: 1,
    opcode: 1,
    valid: true,
    reason: null,
  }
  const event = {
    txid: TXID,
    eventIndex: 0,
    height: TIP,
    blockHash: transaction.blockHash,
    kind: 'object_created' as const,
    objectKey: OBJECT_KEY,
    from: null,
    to: toOutpointText(`${TXID}:1`),
    pairId: null,
  }
  const reason = 'unknown_opcode' as const
  const heights = Array.from({ length: 6 }, (_, below) => TIP - below)
  return {
    tip: { height: TIP, hash: transaction.blockHash },
    checkpoints: heights.map((height) => tupleAt(height, { network })),
    objects: [object],
    carriers: [carrier],
    transactions: [
      transaction,
      { ...transaction, txid: QUIET_TXID, opcode: 9, valid: false, reason },
    ],
    events: [event],
  }
}

/** The other pipeline, as the test plays it. */
export class ScriptedPeer implements PeerAgreement {
  /** Heights requested, in order. */
  readonly fetches: number[] = []
  inFlight = 0
  mostInFlight = 0
  reply: (height: number) => PeerAnswer | Promise<PeerAnswer>

  constructor(reply: ScriptedPeer['reply']) {
    this.reply = reply
  }

  async fetch(height: number): Promise<PeerAnswer> {
    this.fetches.push(height)
    this.inFlight += 1
    this.mostInFlight = Math.max(this.mostInFlight, this.inFlight)
    try {
      return await this.reply(height)
    } finally {
      this.inFlight -= 1
    }
  }
}

export const answerOf = (envelope: unknown): PeerAnswer => ({
  did: 'answer',
  body: Buffer.from(typeof envelope === 'string' ? envelope : JSON.stringify(envelope)),
})

/** Divergences in memory: all that were recorded. */
export class MemoryDivergences implements Divergences {
  readonly noted: Divergence[] = []

  async note(divergence: Divergence): Promise<boolean> {
    this.noted.push(divergence)
    return true
  }

  async page(limit: number, below: number | null): Promise<PlacedDivergence[]> {
    const placed = this.noted.map((divergence, place) => ({ place, divergence }))
    return placed
      .filter(({ place }) => below === null || place < below)
      .toReversed()
      .slice(0, limit)
  }
}

export interface Pipelines {
  service: PairingService
  views: MemoryPairingViews
  peer: ScriptedPeer
  divergences: MemoryDivergences
  metrics: PairingMetric[]
  withheld: { cause: string; detail: string }[]
  faults: unknown[]
  logLines: string[]
  /** What B signs for a height, with changes made before it is signed. */
  signedByB(height: number, changes?: Partial<CheckpointTuple>): AgreementEnvelope
  get(url: string): Promise<LightMyRequestResponse>
  app: FastifyInstance
  close(): Promise<void>
}

export interface PipelinesOptions {
  settings?: Partial<PairingServiceSettings>
  parts?: Partial<PairingParts>
  operators?: readonly Operator[]
  /** Per minute and client. */
  reads?: number
}

/** Pipeline A over an index in memory, and a B that agrees until the test says otherwise. */
export async function openPipelines(options: PipelinesOptions = {}): Promise<Pipelines> {
  const network = options.settings?.network ?? 'regtest'
  const views = new MemoryPairingViews(recordsOf(network))
  const signerB = signerOf('B', 'b1')
  const signedByB: Pipelines['signedByB'] = (height, changes = {}) =>
    signerB.seal({ ...tupleAt(height, { network }), ...changes })
  const peer = new ScriptedPeer((height) => answerOf(signedByB(height)))
  const divergences = new MemoryDivergences()
  const metrics: PairingMetric[] = []
  const withheld: Pipelines['withheld'] = []
  const faults: unknown[] = []
  const logLines: string[] = []
  const tip = { height: TIP, hash: hash(`block ${TIP}`), medianTime: 0, time: 0 }
  const service = openPairingService({
    settings: {
      deployment: DEPLOYMENT,
      network,
      pipeline: 'A',
      maxBlockLag: 2,
      mainnetVerified: false,
      signing: { keyId: 'a1', privateKey: privateKeyOf('a1'), release: RELEASE },
      trusted: {
        A: new Map([['a1', xOnlyOf('a1')]]),
        B: new Map([
          ['b1', xOnlyOf('b1')],
          ['b2', xOnlyOf('b2')],
        ]),
      },
      readiness: { timeoutMs: 1_000, cacheForMs: 0 },
      ...options.settings,
    },
    views,
    node: {
      chain: async () => ({
        network,
        tip,
        initialBlockDownload: false,
        mempoolLoaded: true,
        prunedBelow: 0,
        version: 'test',
      }),
    },
    peer,
    divergences,
    clock: new ManualClock(),
    onMetric: (metric) => metrics.push(metric),
    onWithheld: (cause, detail) => withheld.push({ cause, detail }),
    onFault: (_part, error) => faults.push(error),
    ...options.parts,
  })
  const app = buildMessageApp({
    lagMs: () => 0,
    addRoutes: (scope, limiters) =>
      pairingRoutes(scope, service, {
        operators: options.operators ?? [],
        limiters,
        cursors: TEST_CURSORS,
        now: Date.now,
      }),
    logger: pino({ level: 'info' }, { write: (line: string) => logLines.push(line) }),
    registry: new Registry(),
    readiness: async () => ({ missing: [], degraded: [] }),
    clock: new ManualClock(),
    settings: {
      ...DEFAULT_HTTP_SETTINGS,
      rateLimits: { ...DEFAULT_HTTP_SETTINGS.rateLimits, read: options.reads ?? 100_000 },
    },
  })
  await app.ready()
  return {
    ...{ service, views, peer, divergences, metrics, withheld, faults, logLines, signedByB, app },
    get: (url) => app.inject({ method: 'GET', url }),
    close: () => app.close(),
  }
}
