import { outpointText } from '../../../src/domain/chain/outpoint.ts'
import type { AssetIndex } from '../../../src/ports/authorities/asset-index.ts'
import type { FullNode, Header, OutputAnswer } from '../../../src/ports/authorities/full-node.ts'
import type { BlockHash, BlockRef, Outpoint } from '../../../src/schemas/scalars.ts'
import {
  assetsOf,
  chainStatus,
  indexStatus,
  indexWith,
  nodeWith,
} from '../chain/scripted-authorities.ts'
import { blockAt, MEDIAN_TIME } from '../orders/evidence.ts'
import type { InspectedCase } from './field-cases.ts'

const CONFIRMATIONS = 50
const HEIGHT = 849_100

/**
 * The mainnet of test/vectors/field: each of a case's prevouts is unspent with 50 confirmations
 * and holds no asset. `inputIsFinal` is the script interpreter.
 */
export function fieldAuthorities(
  { input, expected }: InspectedCase,
  inputIsFinal: FullNode['inputIsFinal'],
): { node: FullNode; index: AssetIndex } {
  const tip = blockAt(expected.atTip ?? HEIGHT)
  const output = async (outpoint: Outpoint): Promise<OutputAnswer> => {
    const found = input.prevouts.find((one) => outpointText(one) === outpointText(outpoint))
    if (!found) return { status: 'absent' }
    const { valueSats, scriptHex } = found
    return {
      status: 'unspent',
      output: { valueSats, scriptHex },
      coinbase: false,
      confirmations: CONFIRMATIONS,
      bestBlock: tip.hash,
    }
  }
  const node = nodeWith({
    chain: async () => statusAt(tip),
    blockHash: async (height) => hashAt(height, tip),
    header: async (hash) => (hash === tip.hash ? headerAt(tip) : null),
    output,
    outputs: (outpoints) => Promise.all(outpoints.map(output)),
    inputIsFinal,
  })
  const index = indexWith({
    status: async () => indexStatus({ tip }),
    output: async () => assetsOf(),
  })
  return { node, index }
}

const statusAt = (tip: BlockRef) =>
  chainStatus({
    network: 'mainnet',
    tip: { ...tip, medianTime: MEDIAN_TIME, time: MEDIAN_TIME },
  })

const headerAt = (tip: BlockRef): Header => ({
  ...tip,
  prevHash: blockAt(tip.height - 1).hash,
  time: MEDIAN_TIME,
  medianTime: MEDIAN_TIME,
  onBestChain: true,
})

const hashAt = (height: number, tip: BlockRef): BlockHash | null =>
  height <= tip.height ? blockAt(height).hash : null
