import { digestOfHoldings, holdingsOf, isEmpty } from '../../domain/assets/holdings.ts'
import { parseOutpoint } from '../../domain/chain/outpoint.ts'
import type { AssetIndex } from '../../ports/authorities/asset-index.ts'
import { IndexUnavailableError } from '../../ports/authorities/authority-errors.ts'
import type { EventLog } from '../../ports/log/event-log.ts'
import type { IndexPoint } from '../../ports/log/ingest-store.ts'
import type { Clock } from '../../runtime/clock.ts'
import { ChangeRecord, TOPICS } from '../../schemas/log.ts'
import type { IndexProof } from '../../schemas/order-record.ts'
import type { OutpointText } from '../../schemas/scalars.ts'

/** Records at the end of each partition's lifecycle among which the sample is found. */
const TAIL = 200
/** Outputs compared: if one in a hundred differs, that is found seven times in eight. */
export const MAX_SAMPLED = 200
/** With fewer outputs that hold anything, the sample proves too little. */
export const LEAST_HOLDING = 8
/** How many of the outputs that hold most have places and numbers compared too. */
const MAX_PLACED = 8

export interface SampleParts {
  log: Pick<EventLog, 'partitions' | 'end' | 'stored'>
  index: Pick<AssetIndex, 'status' | 'contents' | 'output'>
  clock: Clock
}

/**
 * Does the index, now under another version, give the answers that it gave under that of `before`?
 */
export type IndexSample = (before: IndexPoint, now: IndexPoint) => Promise<boolean>

type LoggedOutput = Pick<IndexProof, 'indexed' | 'inscriptions' | 'runes'>

/**
 * Compares the index's earlier answers, as the lifecycle holds them, with its answers now about the
 * same outputs: those verified last, from all partitions. False if anything differs, or if too few
 * of them hold anything. Throws `IndexUnavailableError` if the index does not answer, or is no
 * longer at `now`.
 */
export const indexSample =
  ({ log, index, clock }: SampleParts): IndexSample =>
  async (before, now) => {
    const said = new Map<OutpointText, LoggedOutput>()
    const each = Math.ceil(MAX_SAMPLED / log.partitions)
    for (let partition = 0; partition < log.partitions; partition += 1) {
      const latest = await answersIn({ log, clock }, partition, before.version)
      for (const [outpoint, answer] of latest.slice(-each)) said.set(outpoint, answer)
    }
    const isSame = await saysTheSame(index, said)
    const { tip, version } = await index.status()
    if (version !== now.version || tip?.hash !== now.hash)
      throw new IndexUnavailableError(
        'asset_index_behind',
        'ord moved on while its answers were compared',
      )
    return isSame
  }

/** Its answers under this version in the partition's last changes, the latest of each output last. */
async function answersIn(
  { log, clock }: Pick<SampleParts, 'log' | 'clock'>,
  partition: number,
  version: string,
): Promise<[outpoint: OutpointText, answer: LoggedOutput][]> {
  const answers = new Map<OutpointText, LoggedOutput>()
  const from = Math.max(0, (await log.end(TOPICS.lifecycle, partition)) - TAIL)
  for await (const batch of log.stored(TOPICS.lifecycle, partition, from)) {
    for (const { value } of batch) {
      const { data: change } = ChangeRecord.safeParse(value)
      await clock.turn()
      const { node, index } = change?.evidence ?? {}
      const isThere = node?.status === 'ready' && node.output.status === 'unspent'
      if (!change || !isThere || index?.status !== 'ready' || index.at.version !== version) continue
      if (!holdingsOf(index)) continue
      answers.delete(change.outpoint)
      answers.set(change.outpoint, index)
    }
  }
  return [...answers]
}

async function saysTheSame(
  index: SampleParts['index'],
  said: ReadonlyMap<OutpointText, LoggedOutput>,
): Promise<boolean> {
  const outpoints = [...said.keys()]
  if (outpoints.length === 0) return false
  const contents = await index.contents(outpoints.map(parseOutpoint))
  const holding: OutpointText[] = []
  for (const [at, outpoint] of outpoints.entries()) {
    const now = contents[at]
    const before = holdingsOf(said.get(outpoint) as LoggedOutput)
    // What was spent since may have moved.
    if (!before || now?.spent) continue
    if (!now?.indexed || digestOfHoldings(now) !== digestOfHoldings(before)) return false
    if (!isEmpty(before)) holding.push(outpoint)
  }
  if (holding.length < LEAST_HOLDING) return false
  const most = holding.toSorted((a, b) => countIn(said.get(b)) - countIn(said.get(a)))
  for (const outpoint of most.slice(0, MAX_PLACED)) {
    const now = await index.output(parseOutpoint(outpoint))
    if (placesIn(now?.inscriptions) !== placesIn(said.get(outpoint)?.inscriptions)) return false
  }
  return true
}

const countIn = (said: LoggedOutput | undefined): number => said?.inscriptions?.length ?? 0

const placesIn = (inscriptions: Readonly<LoggedOutput['inscriptions']> | undefined): string =>
  JSON.stringify(inscriptions?.map(({ id, number, offset }) => [id, number, offset]).sort() ?? null)
