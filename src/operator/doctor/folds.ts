import { systemClock } from '../../adapters/embedded/system-clock.ts'
import { NodeUnavailableError } from '../../ports/authorities/authority-errors.ts'
import type { ChainStatus } from '../../ports/authorities/full-node.ts'
import { Closer } from '../../roles/context/closer.ts'
import { openAuthorities } from '../../roles/open/authorities.ts'
import { type Config, usesDevnet } from '../../schemas/config/config.ts'
import {
  type FoldName,
  foldsOf,
  START_HEIGHTS,
  startHeightOf,
} from '../../schemas/config/start-heights.ts'
import { type Check, type Finding, NODE_VARIABLES, ok, warn } from './finding.ts'

const ASKED_MS = 3_000
/** A height that every node has. */
const REST_PROBE = '/rest/blockhashbyheight/0.bin'
const HASH_BYTES = 32

/** What the services that fold whole blocks need of the node: a height to begin at, blocks as bytes. */
export function foldChecks(config: Config): Check[] {
  const folds = foldsOf(config)
  if (folds.length === 0 || usesDevnet(config)) return []
  const { BITCOIN_RPC_URL: url } = config
  return [
    ...folds.map((fold) => ({
      name: fold,
      needs: [...NODE_VARIABLES, START_HEIGHTS[fold]],
      cure: `start the node at ${url}`,
      look: async () => [await heightFinding(config, fold)].flat(),
    })),
    ...(url
      ? [
          {
            name: 'rest',
            needs: NODE_VARIABLES,
            cure: `start the node at ${url}`,
            look: () => restFindings(url),
          },
        ]
      : []),
  ]
}

async function heightFinding(config: Config, fold: FoldName): Promise<Finding | []> {
  const variable = START_HEIGHTS[fold]
  const chain = await chainOf(config)
  return chain ? placed(variable, startHeightOf(config, fold), chain) : []
}

function placed(variable: string, from: number, { tip, prunedBelow }: ChainStatus): Finding {
  const begins = `${variable} is ${from}`
  if (from > tip.height) {
    return warn(
      `${begins}, above the node's tip ${tip.height}: nothing is indexed before that block`,
      'if this is not intended, set a height the chain has reached; it is fixed once the index is created',
    )
  }
  if (from < prunedBelow) {
    return warn(
      `${begins}, and the node has pruned the blocks below ${prunedBelow}: an index that still needs them cannot continue`,
      `use a node that has them (prune=0), or a height of at least ${prunedBelow}`,
    )
  }
  return ok(`${begins}, ${tip.height - from + 1} blocks to the node's tip`)
}

/** Null: the node does not answer, which its own check reports. */
async function chainOf(config: Config): Promise<ChainStatus | null> {
  try {
    await using closer = new Closer()
    return (await openAuthorities(config, systemClock, closer).node?.chain()) ?? null
  } catch (error) {
    if (error instanceof NodeUnavailableError) return null
    throw error
  }
}

async function restFindings(url: string): Promise<Finding[]> {
  const length = await answeredBytes(new URL(REST_PROBE, url)).catch(() => null)
  // The node's own check reports that it is unavailable.
  if (length === null) return []
  return length === HASH_BYTES
    ? [ok('the node serves blocks in binary (REST)')]
    : [
        warn(
          'the node does not serve REST: blocks are fetched in hex, at twice the size',
          'run it with rest=1 (REST shares the RPC port and needs no login: keep that port private)',
        ),
      ]
}

/**
 * The bytes of an answer with status 200, at most one more than are wanted; 0 for any other answer.
 */
async function answeredBytes(url: URL): Promise<number> {
  const signal = AbortSignal.timeout(ASKED_MS)
  const answer = await fetch(url, { redirect: 'manual', signal })
  let length = 0
  for await (const chunk of answer.body ?? []) {
    length += (chunk as Uint8Array).length
    if (length > HASH_BYTES) break
  }
  return answer.ok ? length : 0
}
