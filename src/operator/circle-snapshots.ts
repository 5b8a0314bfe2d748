import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { request } from 'undici'
import { openCircleStore } from '../adapters/embedded/stores/circle-store.ts'
import { openCircleIndex } from '../circles/circle-index.ts'
import { type Difference, diffSnapshots } from '../circles/diff-snapshots.ts'
import {
  readSnapshot,
  type SnapshotVerification,
  verifySnapshot,
} from '../circles/verify-snapshot.ts'
import { OperatorError } from '../ports/base-errors.ts'
import { LocalStore } from '../roles/open/local-store.ts'
import type { CircleSnapshot } from '../schemas/api/circles.ts'
import type { Config } from '../schemas/config/config.ts'
import { NoStoreError, operatorContext, serviceBeside } from './log/open-existing.ts'

/** An invalid file or answer: the message says what is wrong, and where. */
export class SnapshotRefusedError extends OperatorError {
  override name = 'SnapshotRefusedError'
}

/** The canonical bytes of a snapshot, piece by piece. */
export type Pieces = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/** Just below the longest possible JavaScript string, bytes. */
const MAX_BYTES = 500 * 2 ** 20
const TIMEOUT_MS = 30_000

/**
 * The snapshot of DATA_DIR, by the service that has it open if one has. Throws `NoStoreError`, `StorageUnavailableError`
 * or `CirclesRefusedError`.
 */
export async function keptSnapshot<T>(
  config: Config,
  work: (pieces: Pieces) => Promise<T>,
): Promise<T> {
  await using context = operatorContext(config, null, { door: await serviceBeside(config) })
  const { door } = context
  if (door) return await work([await fetchedSnapshot(door.service.api)])
  const local = new LocalStore(context)
  if (!existsSync(local.directory)) throw noCircles(config)
  const store = openCircleStore(await local.open())
  const settings = store.settings()
  if (!settings) throw noCircles(config)
  // Nothing is folded, so the node is not asked.
  const index = await openCircleIndex({ store, settings, prevouts: async () => null })
  return await work(index.snapshot().pieces)
}

const noCircles = ({ DATA_DIR }: Config): NoStoreError =>
  new NoStoreError(
    `there are no circles in ${DATA_DIR}: set DATA_DIR to the service's folder, or give its URL`,
  )

/**
 * From the running service at an origin, read completely before any byte is returned: throws
 * `SnapshotRefusedError` if the bytes do not hash to the ETag, or there is no such answer.
 */
export async function fetchedSnapshot(origin: string): Promise<Uint8Array> {
  if (!URL.canParse(origin)) throw new SnapshotRefusedError(`${origin} is not a URL`)
  const url = new URL('/circles/snapshot', origin)
  const refused = (error: unknown): never => {
    if (error instanceof SnapshotRefusedError) throw error
    throw new SnapshotRefusedError(`${url} does not answer: ${messageOf(error)}`)
  }
  const { statusCode, headers, snapshot } = await wholeAnswer(url).catch(refused)
  if (statusCode !== 200)
    throw new SnapshotRefusedError(`${url} answered with status ${statusCode}`)
  const stateHash = createHash('sha256').update(snapshot).digest('hex')
  if (headers['etag'] !== `"${stateHash}"`) {
    throw new SnapshotRefusedError(
      `${url} sent bytes with hash ${stateHash}, but ETag ${headers['etag']}`,
    )
  }
  return snapshot
}

async function wholeAnswer(url: URL) {
  const timeouts = { headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS }
  const { statusCode, headers, body } = await request(url, timeouts)
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of body) {
    const bytes: Uint8Array = part
    length += bytes.length
    if (length > MAX_BYTES)
      throw new SnapshotRefusedError(`${url} sent more than ${MAX_BYTES} bytes`)
    parts.push(bytes)
  }
  return { statusCode, headers, snapshot: Buffer.concat(parts) }
}

/** Is the file exactly a snapshot, of one graph? */
export const verifyFile = async (path: string): Promise<SnapshotVerification> =>
  verifySnapshot(await readBounded(path))

/** Compares two files that are snapshots by the schema. Throws `SnapshotRefusedError` if one is not. */
export async function diffFiles(a: string, b: string): Promise<Iterable<Difference>> {
  return diffSnapshots(await readFileSnapshot(a), await readFileSnapshot(b))
}

async function readFileSnapshot(path: string): Promise<CircleSnapshot> {
  const read = readSnapshot(await readBounded(path))
  if ('snapshot' in read) return read.snapshot
  throw new SnapshotRefusedError(`${path}: ${read.pointer || 'the whole file'}: ${read.message}`)
}

async function readBounded(path: string): Promise<Uint8Array> {
  const { size } = await stat(path).catch((error: unknown) => {
    throw new SnapshotRefusedError(`${path} cannot be read: ${messageOf(error)}`)
  })
  if (size > MAX_BYTES) throw new SnapshotRefusedError(`${path} is larger than ${MAX_BYTES} bytes`)
  return readFile(path)
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)
