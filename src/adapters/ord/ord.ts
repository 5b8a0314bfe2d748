import { outpointText } from '../../domain/outpoint.ts'
import type { AssetIndex, IndexStatus, Inscription, OutputAssets } from '../../ports/asset-index.ts'
import { IndexUnavailable } from '../../ports/authority-errors.ts'
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

/** An ord server as the asset index. Opening asks nothing. */
export function openOrd({
  url,
  onRequest = () => {},
}: OrdOptions): AssetIndex & { close(): Promise<void> } {
  const server = openOrdServer(url, onRequest)
  const version = versionReader(server)
  const inscription = (id: string) =>
    server.json(`/inscription/${id}`, OrdInscription, (body) => body === 'null')

  return {
    status: () => readStatus(server, version),
    outputs: (outpoints) =>
      Promise.all(outpoints.map((outpoint) => readOutput(server, inscription, outpoint))),
    inscription: async (id) => {
      const found = await inscription(id)
      return found && { id: found.id, number: found.number, satpoint: satpointOf(found) }
    },
    close: server.close,
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
    const inscriptions = await locate(text, expectInscriptions(text, output), inscription)
    if (inscriptions !== null)
      return {
        indexed: output.indexed,
        spent: output.spent,
        inscriptions,
        runes: runesOf(output),
      }
  }
  throw new IndexUnavailable('asset_index_behind', `ord kept moving while ${text} was read`)
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

/** Null: one of them is not, or no longer, in this output. */
async function locate(
  text: string,
  ids: readonly string[],
  inscription: ReadInscription,
): Promise<readonly InscriptionAt[] | null> {
  const located: InscriptionAt[] = []
  for (const found of await Promise.all(ids.map(inscription))) {
    const satpoint = found && satpointOf(found)
    if (found === null || satpoint === null || outpointText(satpoint.outpoint) !== text) return null
    located.push({ id: found.id, number: found.number, offset: satpoint.offset })
  }
  return located
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
