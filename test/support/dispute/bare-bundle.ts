import { Transaction } from 'bitcoinjs-lib'
import { displayHash, transactionId } from '../../../src/domain/chain/hash256.ts'
import { outpointText } from '../../../src/domain/chain/outpoint.ts'
import { orderIdOf } from '../../../src/domain/order/order-id.ts'
import { inspectPsbt } from '../../../src/domain/verdict/inspect.ts'
import type { TransactionProof, UnsealedBundle } from '../../../src/schemas/dispute/bundle.ts'
import type { TxOut } from '../../../src/schemas/scalars.ts'
import { toBlockHash } from '../ids.ts'

/** A transaction that makes these outputs, of a coin that is nowhere. */
export function madeBy(...outputs: TxOut[]): Transaction {
  const transaction = new Transaction()
  transaction.version = 2
  transaction.addInput(Buffer.alloc(32, 7), 0)
  for (const { valueSats, scriptHex } of outputs)
    transaction.addOutput(Buffer.from(scriptHex, 'hex'), BigInt(valueSats))
  return transaction
}

/** A block of regtest with this transaction alone. */
export function inBlock(transaction: Transaction): TransactionProof {
  const root = Buffer.from(transaction.getHash())
  const header = Buffer.alloc(80)
  header.writeInt32LE(0x2000_0000, 0)
  root.copy(header, 36)
  header.writeUInt32LE(1_780_000_000, 68)
  header.writeUInt32LE(0x207f_ffff, 72)
  while (displayHash(header) > `7f${'f'.repeat(62)}`)
    header.writeUInt32LE(header.readUInt32LE(76) + 1, 76)
  const tree = `0100000001${root.toString('hex')}0101`
  return {
    txid: transactionId(transaction),
    block: { hash: toBlockHash(displayHash(header)), height: 200 },
    transaction: Buffer.from(transaction.toBuffer()).toString('hex'),
    proof: `${header.toString('hex')}${tree}`,
  }
}

/** What its author alone can write for this PSBT: nothing of it was asked of any authority. */
export function bareBundle(
  { format, network, order: template }: UnsealedBundle,
  psbt: string,
  output: TransactionProof | null,
): UnsealedBundle {
  const { artifact: _, digest, ...terms } = inspectPsbt(psbt)
  const claim = {
    ...template.claim,
    ...terms,
    source: { ...template.claim.source, sourceId: digest },
  }
  const hash = 'a'.repeat(64)
  const { outpoint } = terms.offer
  return {
    ...{ format, network, orderId: orderIdOf(network, { ...terms, artifact: '', digest }) },
    order: {
      ...{ outpoint, state: 'LIVE', reason: 'verified', seq: 1, hash },
      ...{ claim, outputBlock: output?.block ?? null },
      ...{ indexProof: null, spend: null, settlement: null },
    },
    artifact: { digest, psbt, withheld: null },
    changes: [
      {
        ...{ withheld: 'size', seq: 1, kind: 'transition', fromState: null, toState: 'LIVE' },
        ...{ reason: 'verified', actor: 'reconciler', observedAt: '2026-11-01T00:00:00.000Z' },
        ...{ evidence: null, prevHash: null, hash },
      },
    ],
    proofs: { output, spend: null, headers: [] },
  }
}

export const outpointAt = (transaction: Transaction, vout: number) => ({
  txid: transactionId(transaction),
  vout,
  text: outpointText({ txid: transactionId(transaction), vout }),
})
