import { extname } from 'node:path'
import { Piscina } from 'piscina'
import type { ArtifactInspector } from '../../../ports/authorities/artifact-inspector.ts'
import type { ProofChecker } from '../../../ports/authorities/proof-checker.ts'
import type { PurchaseReader } from '../../../ports/authorities/purchase-reader.ts'
import type { SignatureChecker } from '../../../ports/authorities/signature-checker.ts'

/** Tasks queued per thread, so that it never has to wait for the next one. */
const QUESTIONS_PER_THREAD = 4

/** From sources a worker needs the loader that this thread runs on; built code needs none. */
const EXTENSION = extname(import.meta.url)
const LOADER = EXTENSION === '.ts' ? ['--import', 'tsx'] : []

export interface SignaturePoolOptions {
  /** Worker threads; all of them are started at once and kept. */
  threads: number
}

export type SignaturePool = SignatureChecker & ProofChecker & PurchaseReader & ArtifactInspector

/**
 * Judges signatures and proofs, and reads orders, events, purchases and inspections, on worker threads, so that the
 * event loop never waits for one.
 */
export function openSignaturePool({ threads }: SignaturePoolOptions): SignaturePool {
  const pool = new Piscina({
    filename: new URL(`./signature-worker${EXTENSION}`, import.meta.url).href,
    name: 'check',
    minThreads: threads,
    maxThreads: threads,
    concurrentTasksPerWorker: QUESTIONS_PER_THREAD,
    recordTiming: false,
    execArgv: LOADER,
  })
  return {
    check: (question) => pool.run(question),
    judge: (question) => pool.run(question, { name: 'judgeOwnership' }),
    read: (text) => pool.run(text, { name: 'read' }),
    complete: (question) => pool.run(question, { name: 'complete' }),
    inspect: (text) => pool.run(text, { name: 'inspect' }),
    readSale: (question) => pool.run(question, { name: 'sale' }),
    readMaterial: (question) => pool.run(question, { name: 'material' }),
    close: () => pool.close(),
  }
}
