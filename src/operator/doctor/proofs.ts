import { systemClock } from '../../adapters/embedded/system-clock.ts'
import { AuthorityUnavailableError } from '../../ports/authorities/authority-errors.ts'
import { Closer } from '../../roles/context/closer.ts'
import { openAuthorities } from '../../roles/open/authorities.ts'
import { type Config, usesDevnet } from '../../schemas/config/config.ts'
import { Txid } from '../../schemas/scalars.ts'
import { type Check, type Finding, NODE_VARIABLES, ok, warn } from './finding.ts'

/** In no block: a node that may be asked says so. */
const NO_TXID = Txid.parse('00'.repeat(32))
const CURE = 'add gettxoutproof to rpcwhitelist of the login, or use a node that has it'
const COST = 'bundles prove neither the output of their order nor its sale'

/** Whether the node gives Merkle proofs (`gettxoutproof`), of which bundles are made. */
export function proofChecks(config: Config): Check[] {
  const { ROLE, BITCOIN_RPC_URL: url } = config
  const makesBundles = ROLE === 'all' || ROLE === 'gateway'
  if (!makesBundles || usesDevnet(config) || !url) return []
  return [
    {
      name: 'proofs',
      needs: NODE_VARIABLES,
      cure: `start the node at ${url}`,
      look: async () => [await proofFinding(config)].flat(),
    },
  ]
}

/** None if the node does not answer at all, which its own check reports. */
async function proofFinding(config: Config): Promise<Finding | []> {
  await using closer = new Closer()
  const { node } = openAuthorities(config, systemClock, closer)
  const tip = await node?.chain().then(
    (chain) => chain.tip,
    (error) => {
      if (error instanceof AuthorityUnavailableError) return null
      throw error
    },
  )
  if (!node || !tip) return []
  try {
    await node.merkleProof(NO_TXID, tip.hash)
    return ok('the node gives Merkle proofs (gettxoutproof)')
  } catch (error) {
    if (!(error instanceof AuthorityUnavailableError)) throw error
    return warn(`the node answers gettxoutproof with "${error.message}": ${COST}`, CURE)
  }
}
