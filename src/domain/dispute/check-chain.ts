import type { BundledOrder, DisputeBundle } from '../../schemas/dispute/bundle.ts'
import type { ChangeRecord } from '../../schemas/log.ts'
import type { OrderRecord } from '../../schemas/order-record.ts'
import { canonicalJson } from '../json/canonical-json.ts'
import { isSealed } from '../order/change-chain.ts'
import { foldOrder } from '../order/fold-order.ts'
import { changeOf } from './bundle-change.ts'
import type { Findings } from './findings.ts'

/**
 * Checks that the changes follow one another by number, hash and state, that whole ones have the
 * hash of their content, and that the last one left the order as the bundle has it.
 */
export function checkChain(bundle: DisputeBundle, findings: Findings): void {
  const { changes, order } = bundle
  const all = changes.map(changeOf)
  const records = changes.flatMap((change) => ('record' in change ? [change.record] : []))
  const [first] = all
  const last = all.at(-1)
  const isLinked = all.every((change, index) => {
    const before = all[index - 1]
    return before === undefined
      ? (change.seq === 1) === (change.prevHash === null) &&
          (change.seq === 1) === (change.fromState === null)
      : change.seq === before.seq + 1 &&
          change.prevHash === before.hash &&
          change.fromState === before.toState
  })
  const areKinds = all.every(
    ({ kind, fromState, toState }) => (kind === 'transition') === (fromState !== toState),
  )
  const isProof = findings.isOrderProved
  findings.weigh(
    isLinked && areKinds,
    isProof,
    `changes ${first?.seq} to ${last?.seq} follow one another by number, hash and state`,
  )
  findings.expect(
    last?.seq === order.seq && last.hash === order.hash && last.toState === order.state,
    'the last change left the order in its state, with its number and hash',
  )
  findings.weigh(
    records.every(
      (record) =>
        isSealed(record) && record.orderId === bundle.orderId && record.outpoint === order.outpoint,
    ),
    isProof,
    `${records.length} of ${all.length} changes are whole, of this order, and have the hash of their content`,
  )
  if (records.length < all.length)
    findings.claimed.push(
      `${all.length - records.length} changes are withheld: that their hashes are of what is said of them`,
    )
  if (first && first.seq > 1) findings.claimed.push(`changes 1 to ${first.seq - 1} are left out`)
  if (first?.seq === 1 && records.length === all.length) checkFold(bundle, records, findings)
  else checkLastWords(bundle, findings)
}

const same = (one: unknown, other: unknown): boolean => canonicalJson(one) === canonicalJson(other)

/** The order as a bundle has it. */
export const bundledOrder = (order: OrderRecord): BundledOrder => {
  const { artifact: _, ...claim } = order.kept
  return {
    outpoint: order.outpoint,
    state: order.state,
    reason: order.reason,
    seq: order.seq,
    hash: order.hash ?? '',
    claim,
    outputBlock: order.outputBlock,
    indexProof: order.indexProof,
    spend: order.spend,
    settlement: order.settlement ?? null,
  }
}

/** If every change is whole, the order must be their fold. */
function checkFold(
  bundle: DisputeBundle,
  records: readonly ChangeRecord[],
  findings: Findings,
): void {
  const { order, artifact, network } = bundle
  const folded = folding(records)
  const isSame =
    folded !== null &&
    folded.network === network &&
    same(bundledOrder(folded), order) &&
    (artifact.psbt === null || artifact.psbt === folded.kept.artifact)
  findings.weigh(isSame, findings.isOrderProved, 'the order is the fold of all its changes')
}

/** Null if the records cannot be folded into an order. */
function folding(records: readonly ChangeRecord[]): OrderRecord | null {
  try {
    return records.reduce<OrderRecord | null>(foldOrder, null)
  } catch {
    return null
  }
}

/**
 * Checked where changes are withheld: a field's last change proves it, unless a withheld one may
 * follow.
 */
const FIELDS = ['reason', 'outputBlock', 'indexProof', 'spend', 'settlement'] as const

function checkLastWords({ changes, order }: DisputeBundle, findings: Findings): void {
  const unstated = FIELDS.filter((field) => {
    for (const change of changes.toReversed()) {
      if (!('record' in change)) return true
      const { set, unset } = change.record
      const isUnset = unset.includes(field)
      if (!isUnset && set[field] === undefined) continue
      findings.expect(
        same(isUnset ? null : set[field], order[field]),
        `the order's ${field} is that of the last change of it`,
      )
      return false
    }
    return true
  })
  findings.claimed.push(`the order's claim${unstated.map((field) => `, ${field}`).join('')}`)
}
