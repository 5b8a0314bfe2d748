import type { Circle, CircleSnapshot } from '../schemas/api/circles.ts'
import { type Fault, fault } from './fault.ts'
import { pointerOf } from './json-places.ts'
import { circleKey, edgeKey, shardKey } from './record-keys.ts'

/** Checks each circle by itself, and that circles are in chain order. */
export function checkCircles({ circles }: CircleSnapshot): Fault | null {
  const txids = new Set<string>()
  const wtxids = new Set<string>()
  const hashes = new Map<number, string>()
  const heights = new Map<string, number>()
  for (const [place, circle] of circles.entries()) {
    const at = pointerOf(['circles', place])
    const { txid, wtxid, blockHeight, blockHash } = circle
    const wrong = checkCircle(circle, at)
    if (wrong) return wrong
    if (txids.has(txid)) return fault(`${at}/txid`, 'is there twice')
    if (wtxids.has(wtxid)) return fault(`${at}/wtxid`, 'is there twice')
    txids.add(txid)
    wtxids.add(wtxid)
    const known = hashes.get(blockHeight)
    if (known !== undefined && known !== blockHash) {
      return fault(`${at}/blockHash`, `must be ${known}, as in the circle before`)
    }
    const height = heights.get(blockHash)
    if (height !== undefined && height !== blockHeight) {
      return fault(`${at}/blockHash`, `is the block at ${height}`)
    }
    hashes.set(blockHeight, blockHash)
    heights.set(blockHash, blockHeight)
  }
  return ascending(
    'circles',
    circles.map(({ blockHeight, transactionIndex }) => circleKey(blockHeight, transactionIndex)),
  )
}

function checkCircle(circle: Circle, at: string): Fault | null {
  const { txid, members, participantCount, feeSats, transactionIndex } = circle
  if (transactionIndex === 0) {
    return fault(`${at}/transactionIndex`, 'must not be 0: a coinbase is not a circle')
  }
  if (participantCount !== members.length) {
    return fault(`${at}/participantCount`, `must be ${members.length}, the number of members`)
  }
  let fees = 0n
  for (const [slot, member] of members.entries()) {
    const inside = `${at}/members/${slot}`
    const share = BigInt(member.inputValueSats) - BigInt(member.outputValueSats)
    if (member.slot !== slot) return fault(`${inside}/slot`, `must be ${slot}`)
    if (member.outputOutpoint !== `${txid}:${slot}`) {
      return fault(`${inside}/outputOutpoint`, `must be ${txid}:${slot}`)
    }
    if (share < 0n) return fault(`${inside}/outputValueSats`, 'must not be above inputValueSats')
    if (member.feeShareSats !== share.toString()) {
      return fault(`${inside}/feeShareSats`, `must be ${share}, input less output`)
    }
    fees += share
  }
  if (feeSats === fees.toString()) return null
  return fault(`${at}/feeSats`, `must be ${fees}, the sum of the shares`)
}

/** Checks the order of the other arrays; an edge sorts by the circle it leads to. */
export function checkOrder({ lineages, shards, circles, edges }: CircleSnapshot): Fault | null {
  const places = new Map(
    circles.map(({ txid, blockHeight, transactionIndex }) => [
      txid,
      circleKey(blockHeight, transactionIndex),
    ]),
  )
  const keys: string[] = []
  for (const [place, { toCircle, viaOutpoint }] of edges.entries()) {
    const key = places.get(toCircle)
    if (key === undefined) {
      return fault(pointerOf(['edges', place, 'toCircle']), 'there is no such circle')
    }
    keys.push(edgeKey(key, viaOutpoint))
  }
  return (
    ascending(
      'lineages',
      lineages.map(({ lineageId }) => lineageId),
    ) ??
    ascending(
      'shards',
      shards.map(({ outpoint }) => shardKey(outpoint)),
    ) ??
    ascending('edges', keys)
  )
}

function ascending(section: string, keys: readonly string[]): Fault | null {
  for (let place = 1; place < keys.length; place++) {
    const [before = '', key = ''] = keys.slice(place - 1, place + 1)
    if (before === key) return fault(pointerOf([section, place]), 'is there twice')
    if (before > key) {
      return fault(pointerOf([section, place]), 'is out of order: it belongs before the one above')
    }
  }
  return null
}
