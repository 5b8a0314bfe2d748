import { MAX_INSCRIPTIONS } from '../../domain/assets/asset-verdict.ts'
import { outpointText, parseOutpoint } from '../../domain/chain/outpoint.ts'
import type {
  AssetIndex,
  IndexStatus,
  Inscription,
  OutputAssets,
  OutputContents,
  OwnedOutput,
} from '../../ports/authorities/asset-index.ts'
import { IndexUnavailableError } from '../../ports/authorities/authority-errors.ts'
import { gathered } from '../../runtime/gathered.ts'
import type { Lane } from '../../runtime/lanes.ts'
import type { InscriptionAt } from '../../schemas/evidence.ts'
import { BlockHash, type Outpoint, Txid } from '../../schemas/scalars.ts'
import {
  type OrdAddressOutput,
  OrdAddressOutputs,
  OrdInscription,
  OrdOutput,
  OrdStatus,
} from '../../schemas/wire/ord.ts'
import { LargeAnswerError, type OrdLogin, type OrdServer, openOrdServer } from './server.ts'

export interface OrdOptions {
  /**
   * The URL of one ord server: behind a balancer every other answer would come from another index.
   */
  url: string
  login?: OrdLogin
  /** Called for each HTTP request sent. */
  onRequest?: () => void
}

/** The index may advance between two answers that belong together: both are then repeated. */
const MOVING_INDEX_ATTEMPTS = 4
/** Outputs, or inscriptions, per request: their answers stay well below the size limit. */
const BATCH = 100
/** Outputs that orders ask about: a request hangs for all that are in it, and the other goes on. */
const TOGETHER = { atOnce: 2, perRequest: BATCH }

export interface Ord extends AssetIndex {
  /**
   * The server on the same connections in another lane (`runtime/lanes.ts`). This object is the
   * first lane.
   */
  inLane(lane: Lane): AssetIndex
  close(): Promise<void>
}

/** An ord server as the asset index. Opening sends no request. */
export function openOrd({ url, login, onRequest = () => {} }: OrdOptions): Ord {
  const server = openOrdServer(url, login, onRequest)
  return {
    ...indexOver(server),
    inLane: (lane) => indexOver(server.inLane(lane)),
    close: server.close,
  }
}

function indexOver(server: OrdServer): AssetIndex {
  const program = programReader(server)
  let height: number | null = null
  const output = gathered((texts: readonly string[]) => readOutputs(server, texts), TOGETHER)
  const inscription = (id: string) =>
    server.json(`/inscription/${id}`, OrdInscription, (body) => body === 'null')

  return {
    status: async () => {
      const status = await readStatus(server, program, height)
      height = status.tip?.height ?? null
      return status
    },
    output: (outpoint, likely) => readOutput({ server, output, inscription }, outpoint, likely),
    contents: async (outpoints) => {
      const read: (OutputContents | null)[] = []
      for (let at = 0; at < outpoints.length; at += BATCH)
        read.push(...(await readContents(server, outpoints.slice(at, at + BATCH))))
      return read
    },
    inscription: async (id) => {
      const found = await inscription(id)
      return found && { id: found.id, number: found.number, satpoint: satpointOf(found) }
    },
    outputsOf: async (address) => {
      const path = `/outputs/${encodeURIComponent(address)}`
      const outputs = await server.json(path, OrdAddressOutputs, followsNoAddress)
      return outputs?.filter(({ spent }) => !spent).map(ownedOutput) ?? null
    },
  }
}

const NEVER = () => false

/** It runs without --index-addresses. */
const followsNoAddress = (body: string): boolean => body === 'this server has no address index'

const ownedOutput = ({ outpoint, value, inscriptions }: OrdAddressOutput): OwnedOutput => ({
  outpoint: parseOutpoint(outpoint),
  valueSats: value.toString(),
  holdsInscriptions: (inscriptions ?? []).length > 0,
})

/**
 * `/status` names a height but no hash: the hash at the height last read, `before`, is requested at
 * the same time, and counts if the height is still the same. Then the index has this block,
 * whichever of the two was answered first.
 */
async function readStatus(
  server: OrdServer,
  program: (status: OrdStatus) => Promise<string>,
  before: number | null,
): Promise<IndexStatus> {
  let height = before ?? (await expectStatus(server)).height
  // The last height read is a guess, so trying it costs no attempt.
  for (let attempt = before === null ? 1 : 0; attempt <= MOVING_INDEX_ATTEMPTS; attempt++) {
    const [hash, status]: [BlockHash | null, OrdStatus] = await Promise.all([
      height === null ? null : hashAt(server, height),
      expectStatus(server),
    ])
    if (status.height === height && (hash === null) === (height === null))
      return {
        tip: height === null || hash === null ? null : { height, hash },
        version: `ord ${await program(status)} ${buildOf(status)}`,
        build: buildOf(status),
        unrecoverablyReorged: status.unrecoverably_reorged,
        runes: status.rune_index,
      }
    height = status.height
  }
  throw new IndexUnavailableError('asset_index_behind', "ord's tip kept changing while it was read")
}

const hashAt = (server: OrdServer, height: number): Promise<BlockHash | null> =>
  server.json(`/r/blockhash/${height}`, BlockHash, (body) => body === 'blockhash not found')

async function expectStatus(server: OrdServer): Promise<OrdStatus> {
  const status = await server.json('/status', OrdStatus, NEVER)
  if (status === null || !status.inscription_index)
    throw new IndexUnavailableError(
      'asset_index_malformed',
      'ord runs without an inscription index',
    )
  return status
}

/**
 * The program's version, the first part of `IndexStatus.version`: only the HTML page gives it, and
 * it cannot change while one process runs.
 */
function programReader(server: OrdServer): (status: OrdStatus) => Promise<string> {
  let known: { started: string; program: string } | undefined
  return async ({ started }) => {
    if (known?.started !== started) {
      const page = await server.text('/status')
      const [, program = 'unknown'] = /<dt>version<\/dt>\s*<dd>([^<]+)<\/dd>/.exec(page) ?? []
      known = { started, program }
    }
    return known.program
  }
}

/**
 * What the index follows, and the duration of its first synchronisation, which is kept in the index
 * and differs after a rebuild.
 */
function buildOf({ rune_index, sat_index, initial_sync_time: { secs, nanos } }: OrdStatus): string {
  const follows = [rune_index ? 'runes' : '', sat_index ? 'sats' : '']
  return [...follows, `synced-in-${secs}.${nanos.toString().padStart(9, '0')}s`]
    .filter((part) => part !== '')
    .join(' ')
}

/** An error: ord says more of the output than is read. */
type ReadOutput = OrdOutput | LargeAnswerError | null

type ReadInscription = (id: string) => Promise<OrdInscription | null>

interface Readers {
  server: OrdServer
  output: (text: string) => Promise<ReadOutput>
  inscription: ReadInscription
}

/** How ord's answer begins for an examined output of more than `MAX_INSCRIPTIONS`. */
const HOLDS_MANY = new RegExp(
  `^{[^[\\]{}]*"indexed":true,"inscriptions":\\[(?:"[0-9a-f]{64}i[0-9]+",){${MAX_INSCRIPTIONS + 1}}`,
)

/** The output's own answer has no offsets; those come from each inscription's satpoint. */
async function readOutput(
  { server, output: read, inscription }: Readers,
  outpoint: Outpoint,
  likely: string | undefined,
): Promise<OutputAssets | null> {
  const text = outpointText(outpoint)
  for (let attempt = 0; attempt < MOVING_INDEX_ATTEMPTS; attempt++) {
    const [output, guessed] = await Promise.all([
      read(text),
      likely === undefined ? null : inscription(likely).catch(() => null),
    ])
    if (output === null) return null
    if (output instanceof LargeAnswerError) {
      if (!HOLDS_MANY.test(output.beginning)) throw output
      return { indexed: true, spent: false, runes: null, inscriptions: null }
    }
    const ids = expectInscriptions(output)
    if (ids.length > MAX_INSCRIPTIONS) return { ...examined(output), inscriptions: null }
    const isGuessed = guessed !== null && ids.length === 1 && ids[0] === guessed.id
    const found = isGuessed ? [guessed] : await readInscriptions(server, inscription, ids)
    const inscriptions = placesIn(text, found)
    if (inscriptions !== null) return { ...examined(output), inscriptions }
  }
  throw new IndexUnavailableError(
    'asset_index_behind',
    `ord's tip kept changing while ${text} was read`,
  )
}

async function readAlone(server: OrdServer, text: string): Promise<ReadOutput> {
  const notFound = (body: string) => body === `output ${text} not found`
  try {
    const output = await server.json(`/output/${text}`, OrdOutput, notFound)
    return output === null || isNowhere(output) ? null : output
  } catch (error) {
    if (error instanceof LargeAnswerError) return error
    throw error
  }
}

/** In one request if ord has them all and supports such a request. */
async function readInscriptions(
  server: OrdServer,
  inscription: ReadInscription,
  ids: readonly string[],
): Promise<readonly (OrdInscription | null)[]> {
  const together = ids.length > 1 ? await server.batch('/inscriptions', ids, OrdInscription) : null
  if (together !== null) return together
  const found: (OrdInscription | null)[] = []
  for (const id of ids) found.push(await inscription(id))
  return found
}

async function readContents(
  server: OrdServer,
  outpoints: readonly Outpoint[],
): Promise<readonly (OutputContents | null)[]> {
  const outputs = await readOutputs(server, outpoints.map(outpointText))
  return outputs.map((output) =>
    output instanceof LargeAnswerError ? UNREAD : output && contentsOf(output),
  )
}

/** What it holds is unknown, as for an output that ord has not examined. */
const UNREAD: OutputContents = { indexed: false, spent: false, runes: null, inscriptionIds: [] }

/**
 * In one request if ord has them all and supports such a request, and its answer is not too large;
 * else in one for each, so that no output spoils the answer about another.
 */
async function readOutputs(
  server: OrdServer,
  texts: readonly string[],
): Promise<readonly ReadOutput[]> {
  const together =
    texts.length > 1
      ? await server.batch('/outputs', texts, OrdOutput).catch(nullIfUnavailable)
      : null
  if (together !== null) return together.map((output) => (isNowhere(output) ? null : output))
  return await Promise.all(texts.map((text) => readAlone(server, text)))
}

function nullIfUnavailable(error: unknown): null {
  if (error instanceof IndexUnavailableError) return null
  throw error
}

// ord reports any transaction that its node's index finds, even in a stale block, and calls outputs
// of such a transaction spent because they are not unspent.
const isNowhere = ({ spent, confirmations }: OrdOutput): boolean => spent && confirmations === 0

function expectInscriptions({ inscriptions }: OrdOutput): readonly string[] {
  if (inscriptions !== null) return inscriptions
  throw new IndexUnavailableError('asset_index_malformed', 'ord runs without an inscription index')
}

/** Null: one of the inscriptions is not, or no longer, in this output. */
function placesIn(
  text: string,
  inscriptions: readonly (OrdInscription | null)[],
): InscriptionAt[] | null {
  const located: InscriptionAt[] = []
  for (const found of inscriptions) {
    const satpoint = found && satpointOf(found)
    if (found === null || satpoint === null || outpointText(satpoint.outpoint) !== text) return null
    located.push({ id: found.id, number: found.number, offset: satpoint.offset })
  }
  return located
}

const examined = (output: OrdOutput): Pick<OutputAssets, 'indexed' | 'spent' | 'runes'> => {
  const { indexed, spent } = output
  return { indexed, spent, runes: runesOf(output) }
}

const contentsOf = (output: OrdOutput): OutputContents => ({
  ...examined(output),
  inscriptionIds: expectInscriptions(output),
})

const runesOf = ({ runes }: OrdOutput): OutputAssets['runes'] =>
  runes && Object.entries(runes).map(([name, { amount }]) => ({ name, amount }))

const NO_TRANSACTION = '0'.repeat(64)

/** An unbound inscription is at output 0 of the null txid, a lost one at its last. */
function satpointOf({ satpoint }: OrdInscription): Inscription['satpoint'] {
  const [txid = '', vout, offset = ''] = satpoint.split(':')
  if (txid === NO_TRANSACTION) return null
  return { outpoint: { txid: Txid.parse(txid), vout: Number(vout) }, offset }
}
