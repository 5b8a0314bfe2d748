import { outpointText } from '../../domain/outpoint.ts'
import type { AssetIndex, IndexStatus, Inscription, OutputAssets } from '../../ports/asset-index.ts'
import { IndexUnavailable } from '../../ports/authority-errors.ts'
import type { Lane } from '../../ports/lanes.ts'
import type { InscriptionAt } from '../../schemas/evidence.ts'
import { OrdBlockHash, OrdInscription, OrdOutput, OrdStatus } from '../../schemas/ord.ts'
import type { Outpoint } from '../../schemas/scalars.ts'
import { type OrdServer, openOrdServer } from './server.ts'

export interface OrdOptions {
  /** Of one ord server: behind a balancer every other answer would come from another index. */
  url: string
  /** For each HTTP request sent. */
  onRequest?: () => void
}

/** The index may advance between two answers that belong together: then both are asked again. */
const MOVING_INDEX_ATTEMPTS = 4
/** Each costs a request: an output that holds more is not an offer that anybody reads. */
const MAX_INSCRIPTIONS = 1_000
/** Outputs, or inscriptions, of one request: their answers stay well below what one may hold. */
const BATCH = 100

export interface Ord extends AssetIndex {
  /** The same server on the same connections: see ports/lanes.ts. It is the first lane itself. */
  inLane(lane: Lane): AssetIndex
  close(): Promise<void>
}

/** An ord server as the asset index. Opening asks nothing. */
export function openOrd({ url, onRequest = () => {} }: OrdOptions): Ord {
  const server = openOrdServer(url, onRequest)
  return {
    ...indexOver(server),
    inLane: (lane) => indexOver(server.inLane(lane)),
    close: server.close,
  }
}

function indexOver(server: OrdServer): AssetIndex {
  const version = versionReader(server)
  const inscription = (id: string) =>
    server.json(`/inscription/${id}`, OrdInscription, (body) => body === 'null')

  return {
    status: () => readStatus(server, version),
    outputs: async (outpoints) => {
      const answers: (OutputAssets | null)[] = []
      for (let at = 0; at < outpoints.length; at += BATCH) {
        const asked = outpoints.slice(at, at + BATCH)
        const read = asked.length > 1 ? await readOutputs(server, asked) : null
        const one = (outpoint: Outpoint) => readOutput(server, inscription, outpoint)
        answers.push(...(read ?? (await Promise.all(asked.map(one)))))
      }
      return answers
    },
    inscription: async (id) => {
      const found = await inscription(id)
      return found && { id: found.id, number: found.number, satpoint: satpointOf(found) }
    },
  }
}

const NEVER = () => false

/** `/status` names a height but no hash: the hash counts when the height stood still around it. */
async function readStatus(
  server: OrdServer,
  version: (status: OrdStatus) => Promise<string>,
): Promise<IndexStatus> {
  let status = await expectStatus(server)
  for (let attempt = 0; attempt < MOVING_INDEX_ATTEMPTS; attempt++) {
    const { height } = status
    const hash =
      height === null
        ? null
        : await server.json(
            `/r/blockhash/${height}`,
            OrdBlockHash,
            (body) => body === 'blockhash not found',
          )
    const again = await expectStatus(server)
    if (again.height === height && (hash === null) === (height === null))
      return {
        tip: height === null || hash === null ? null : { height, hash },
        version: await version(again),
        unrecoverablyReorged: again.unrecoverably_reorged,
        runes: again.rune_index,
      }
    status = again
  }
  throw new IndexUnavailable('asset_index_behind', 'ord kept moving while its tip was read')
}

async function expectStatus(server: OrdServer): Promise<OrdStatus> {
  const status = await server.json('/status', OrdStatus, NEVER)
  if (status === null || !status.inscription_index)
    throw new IndexUnavailable('asset_index_malformed', 'ord runs without its inscription index')
  return status
}

/**
 * What `IndexStatus.version` is made of: the program's version, which only the page for people
 * tells and which cannot change while one process runs; what the index follows; and the time that
 * its first synchronisation took, which is kept in the index and differs after a rebuild.
 */
function versionReader(server: OrdServer): (status: OrdStatus) => Promise<string> {
  let known: { started: string; program: string } | undefined
  return async (status) => {
    if (known?.started !== status.started) {
      const page = await server.text('/status')
      const [, program = 'unknown'] = /<dt>version<\/dt>\s*<dd>([^<]+)<\/dd>/.exec(page) ?? []
      known = { started: status.started, program }
    }
    const { secs, nanos } = status.initial_sync_time
    const follows = [status.rune_index ? 'runes' : '', status.sat_index ? 'sats' : '']
    return [
      'ord',
      known.program,
      ...follows,
      `synced-in-${secs}.${nanos.toString().padStart(9, '0')}s`,
    ]
      .filter((part) => part !== '')
      .join(' ')
  }
}

type ReadInscription = (id: string) => Promise<OrdInscription | null>

/** The output's own answer tells no offsets; those come from each inscription's satpoint. */
async function readOutput(
  server: OrdServer,
  inscription: ReadInscription,
  outpoint: Outpoint,
): Promise<OutputAssets | null> {
  const text = outpointText(outpoint)
  for (let attempt = 0; attempt < MOVING_INDEX_ATTEMPTS; attempt++) {
    const output = await server.json(
      `/output/${text}`,
      OrdOutput,
      (body) => body === `output ${text} not found`,
    )
    if (output === null || isNowhere(output)) return null
    const found = await Promise.all(expectInscriptions(text, output).map(inscription))
    const assets = assetsOf(text, output, found)
    if (assets !== null) return assets
  }
  throw new IndexUnavailable('asset_index_behind', `ord kept moving while ${text} was read`)
}

/** As `readOutput`, in two requests for all; null where they must be asked one by one. */
async function readOutputs(
  server: OrdServer,
  outpoints: readonly Outpoint[],
): Promise<readonly (OutputAssets | null)[] | null> {
  const texts = outpoints.map(outpointText)
  const outputs = await server.batch('/outputs', texts, OrdOutput)
  if (outputs === null) return null
  const held = outputs.map((output, at) =>
    isNowhere(output) ? [] : expectInscriptions(texts[at] ?? '', output),
  )
  const ids = held.flat()
  const found = ids.length > BATCH ? null : await server.batch('/inscriptions', ids, OrdInscription)
  if (found === null) return null
  const inscriptions = new Map(found.map((inscription) => [inscription.id, inscription]))
  const read: (OutputAssets | null)[] = []
  for (const [at, output] of outputs.entries()) {
    const mine = (held[at] ?? []).map((id) => inscriptions.get(id) ?? null)
    const assets = isNowhere(output) ? null : assetsOf(texts[at] ?? '', output, mine)
    if (assets === null && !isNowhere(output)) return null
    read.push(assets)
  }
  return read
}

// ord tells of any transaction that its node's index finds, of a stale block too, and calls its
// outputs spent because they are not unspent.
const isNowhere = ({ spent, confirmations }: OrdOutput): boolean => spent && confirmations === 0

function expectInscriptions(text: string, { inscriptions }: OrdOutput): readonly string[] {
  if (inscriptions === null)
    throw new IndexUnavailable('asset_index_malformed', 'ord runs without its inscription index')
  if (inscriptions.length > MAX_INSCRIPTIONS)
    throw new IndexUnavailable(
      'asset_index_malformed',
      `${text} holds ${inscriptions.length} inscriptions: at most ${MAX_INSCRIPTIONS} are read`,
    )
  return inscriptions
}

/** Null: one of the inscriptions is not, or no longer, in this output. */
function assetsOf(
  text: string,
  output: OrdOutput,
  inscriptions: readonly (OrdInscription | null)[],
): OutputAssets | null {
  const located: InscriptionAt[] = []
  for (const found of inscriptions) {
    const satpoint = found && satpointOf(found)
    if (found === null || satpoint === null || outpointText(satpoint.outpoint) !== text) return null
    located.push({ id: found.id, number: found.number, offset: satpoint.offset })
  }
  const { indexed, spent } = output
  return { indexed, spent, inscriptions: located, runes: runesOf(output) }
}

const runesOf = ({ runes }: OrdOutput): OutputAssets['runes'] =>
  runes && Object.entries(runes).map(([name, { amount }]) => ({ name, amount }))

const NO_TRANSACTION = '0'.repeat(64)

/** An unbound inscription stands at output 0 of no transaction, a lost one at its last. */
function satpointOf({ satpoint }: OrdInscription): Inscription['satpoint'] {
  const [txid = '', vout, offset = ''] = satpoint.split(':')
  if (txid === NO_TRANSACTION) return null
  return { outpoint: { txid, vout: Number(vout) }, offset }
}
