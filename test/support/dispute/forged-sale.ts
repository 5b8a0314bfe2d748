import { networks, Psbt } from 'bitcoinjs-lib'
import { bareTransaction, openTransaction } from '../../../src/domain/chain/bare-transaction.ts'
import { parseOutpoint } from '../../../src/domain/chain/outpoint.ts'
import { spendOf } from '../../../src/domain/chain/spend.ts'
import { sealChange } from '../../../src/domain/order/change-chain.ts'
import { orderIdOf } from '../../../src/domain/order/order-id.ts'
import { inspectPsbt } from '../../../src/domain/verdict/inspect.ts'
import type {
  DisputeBundle,
  UnsealedBundle,
  WithheldChange,
} from '../../../src/schemas/dispute/bundle.ts'
import type { OutpointText } from '../../../src/schemas/scalars.ts'

/** The input of the sale's transaction whose owner never used the market. */
const STRANGER = 0
const SIGNED_AS_ASK = 0x83
const hashOf = (letter: string) => letter.repeat(64)

/**
 * A sale that never was: any transaction with its proof, here the one of a genuine sale, and an order
 * written for an input that somebody else spent in it. Every field that can be checked agrees.
 */
export function forgedSale(genuine: DisputeBundle): UnsealedBundle {
  const { format, network, proofs, order: template, changes } = genuine
  const proof = proofs.spend
  const block = template.spend?.block
  const last = changes.at(-1)
  if (!proof || !block || !last || !('record' in last)) throw new Error('not a settled sale')
  const transaction = openTransaction(bareTransaction({ txid: proof.txid, hex: proof.transaction }))
  const outpoint = transaction.spent(STRANGER)
  const spend = spendOf(transaction, parseOutpoint(outpoint), block)
  if (!spend?.pairedOutput) throw new Error('the input has no output at its place')
  const { artifact: _, digest, ...terms } = inspectPsbt(askFor(outpoint, spend.pairedOutput))
  const claim = {
    ...template.claim,
    ...terms,
    source: { ...template.claim.source, sourceId: digest },
  }
  const orderId = orderIdOf(network, { ...terms, artifact: '', digest })
  const settlement = template.settlement && { ...template.settlement, txid: proof.txid }
  const listed = withheld(1, null, 'PENDING_NODE', null, hashOf('a'))
  const live = withheld(2, 'PENDING_NODE', 'LIVE', hashOf('a'), hashOf('b'))
  const { hash: _hash, ...content } = last.record
  const record = sealChange({
    ...content,
    ...{ orderId, outpoint, seq: 3, fromState: 'LIVE', prevHash: live.hash },
    set: { ...content.set, spend, ...(settlement && { settlement }) },
  })
  return {
    ...{ format, network, orderId },
    order: {
      ...{ outpoint, state: 'SETTLED', reason: record.reason, seq: 3, hash: record.hash },
      ...{ claim, outputBlock: null, indexProof: null, spend, settlement },
    },
    artifact: { digest, psbt: null, withheld: 'not_live' },
    changes: [listed, live, { record }],
    proofs: { output: null, spend: proof, headers: [] },
  }
}

function withheld(
  seq: number,
  fromState: WithheldChange['fromState'],
  toState: WithheldChange['toState'],
  prevHash: string | null,
  hash: string,
): WithheldChange {
  const said = { reason: 'verified', actor: 'reconciler', observedAt: '2026-11-01T00:00:00.000Z' }
  return {
    ...{ withheld: 'artifact', seq, kind: 'transition', fromState, toState, ...said },
    ...{ evidence: null, prevHash, hash },
  }
}

/** An ask in form; its signature is none. */
function askFor(outpoint: OutpointText, payout: { scriptHex: string; valueSats: string }): string {
  const { txid, vout } = parseOutpoint(outpoint)
  const psbt = new Psbt({ network: networks.regtest })
  const script = Buffer.from(payout.scriptHex, 'hex')
  psbt.addInput({
    ...{ hash: txid, index: vout, sequence: 0xffff_fffd },
    witnessUtxo: { script, value: 546n },
    finalScriptWitness: Buffer.from([1, 65, ...Buffer.alloc(64, 1), SIGNED_AS_ASK]),
  })
  psbt.addOutput({ script, value: BigInt(payout.valueSats) })
  return psbt.toBase64()
}
