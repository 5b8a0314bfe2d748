import { bech32 } from '@scure/base'
import { Block, type Transaction } from 'bitcoinjs-lib'
import type {
  CheckpointTuple,
  PairingCarrier,
  PairingEvent,
  PairingEventKind,
  PairingObject,
  PairingTransaction,
} from '../../src/schemas/api/pairing.ts'
import type { BlockRef, Network, OutpointText, Txid } from '../../src/schemas/scalars.ts'
import { toBlockHash, toOutpointText, toTxid } from '../support/ids.ts'
import { taggedHash } from './canonical.ts'
import { checkpointOf } from './checkpoint.ts'
import { judge } from './judge.ts'
import { CREATE, PAIR, readMarker, UNPAIR } from './marker.ts'

export interface Deployment {
  id: string
  network: Network
  startHeight: number
  /** 4 bytes. */
  magic: Uint8Array
}

/** A block as it was mined, from any height; heights ascend by one. */
export interface MinedBlock {
  height: number
  bytes: Uint8Array
}

/** Everything derived from the blocks. */
export interface Records {
  /** The last block folded. */
  tip: BlockRef | null
  objects: Map<string, PairingObject>
  /** By `txid:vout`. */
  carriers: Map<string, PairingCarrier>
  transactions: Map<Txid, PairingTransaction>
  /** By txid, in order; a transaction without events is absent. */
  events: Map<string, PairingEvent[]>
  checkpoints: Map<number, CheckpointTuple>
}

/** The position of a transaction in the chain. */
interface Place extends BlockRef {
  transactionIndex: number
}

/** The keys of what a block changed, and its events. */
interface Changes {
  objects: Set<string>
  carriers: Set<string>
  events: PairingEvent[]
}

const HRP: Record<Network, string> = { mainnet: 'bc', signet: 'tb', regtest: 'bcrt' }

/** Folds all blocks from the start height, from scratch. */
export function foldAll(deployment: Deployment, blocks: readonly MinedBlock[]): Records {
  const records: Records = {
    tip: null,
    objects: new Map(),
    carriers: new Map(),
    transactions: new Map(),
    events: new Map(),
    checkpoints: new Map(),
  }
  for (const { height, bytes } of blocks) {
    if (height < deployment.startHeight) continue
    const block = Block.fromBuffer(bytes)
    const hash = toBlockHash(block.getId())
    const changes: Changes = { objects: new Set(), carriers: new Set(), events: [] }
    block.transactions?.forEach((transaction, transactionIndex) => {
      if (transactionIndex === 0) return
      foldTransaction(deployment, records, changes, transaction, { height, hash, transactionIndex })
    })
    const checkpoint = checkpointOf(deployment, records.checkpoints.get(height - 1) ?? null, {
      height,
      hash,
      events: changes.events,
      objects: [...changes.objects].map((key) => records.objects.get(key)!),
      carriers: [...changes.carriers].map((outpoint) => records.carriers.get(outpoint)!),
    })
    records.checkpoints.set(height, checkpoint)
    records.tip = { height, hash }
  }
  return records
}

function foldTransaction(
  { network, magic }: Deployment,
  records: Records,
  changes: Changes,
  transaction: Transaction,
  { height, hash, transactionIndex }: Place,
): void {
  const txid = toTxid(transaction.getId())
  const txidBytes = transaction.getHash()
  const outpoints = transaction.ins.map((input) => {
    const spent = Buffer.from(input.hash).reverse().toString('hex')
    return `${spent}:${input.index}`
  })
  // Every object that is spent, before anything happens to any of them.
  const spent = outpoints.map((outpoint) => {
    const carrier = records.carriers.get(outpoint)
    return carrier && records.objects.get(carrier.objectKey)
  })
  const markers = transaction.outs
    .map(({ script }) => readMarker(script, magic))
    .filter((marker) => marker !== null)
  if (markers.length === 0 && spent.every((object) => object === undefined)) return

  const { opcode, reason, instruction } = judge(transaction, markers, (input) => spent[input])
  records.transactions.set(txid, {
    txid,
    height,
    blockHash: hash,
    transactionIndex,
    opcode,
    valid: instruction !== null,
    reason,
  })

  const events: PairingEvent[] = []
  const tell = (
    kind: PairingEventKind,
    object: PairingObject,
    more: { from?: OutpointText; to?: OutpointText; pairId?: string | null } = {},
  ): void => {
    events.push({
      txid,
      eventIndex: events.length,
      height,
      blockHash: hash,
      kind,
      objectKey: object.objectKey,
      from: more.from ?? null,
      to: more.to ?? null,
      pairId: more.pairId ?? null,
    })
    object.eventCount += 1
    changes.objects.add(object.objectKey)
  }
  /** Makes the output the carrier of the object. */
  const carry = (object: PairingObject, vout: number): OutpointText => {
    const { script, value } = transaction.outs[vout]!
    const outpoint = toOutpointText(`${txid}:${vout}`)
    const program = script.slice(2)
    const address = bech32.encode(HRP[network], [0, ...bech32.toWords(program)])
    records.carriers.set(outpoint, {
      txid,
      vout,
      objectKey: object.objectKey,
      address,
      scriptHex: Buffer.from(script).toString('hex'),
      valueSats: value.toString(),
      createdHeight: height,
      spentByTxid: null,
      spentHeight: null,
    })
    changes.carriers.add(outpoint)
    object.carrier = outpoint
    object.address = address
    return outpoint
  }
  const dissolve = (object: PairingObject): void => {
    const { pairId, pairedWith } = object
    if (pairId === null || pairedWith === null) return
    const mate = records.objects.get(pairedWith)!
    tell('pair_dissolved', object, { pairId })
    tell('pair_dissolved', mate, { pairId })
    for (const half of [object, mate]) {
      half.pairId = null
      half.pairedWith = null
    }
  }

  for (const [input, object] of spent.entries()) {
    if (!object) continue
    const from = toOutpointText(outpoints[input]!)
    const carrier = records.carriers.get(from)!
    carrier.spentByTxid = txid
    carrier.spentHeight = height
    changes.carriers.add(from)

    const named = instruction?.inputs.indexOf(input) ?? -1
    const vout = instruction?.vouts[named]
    if (vout === undefined) {
      dissolve(object)
      tell('object_released', object, { from })
      object.status = 'released'
      object.carrier = null
      object.address = null
    } else {
      if (opcode === UNPAIR) dissolve(object)
      tell('carrier_moved', object, { from, to: carry(object, vout), pairId: object.pairId })
    }
  }

  if (instruction && opcode === CREATE) {
    const { contentHash, label } = instruction
    const vout = instruction.vouts[0]!
    const voutBytes = Buffer.alloc(4)
    voutBytes.writeUInt32LE(vout)
    const content = Buffer.from(contentHash, 'hex')
    const object: PairingObject = {
      objectKey: taggedHash('pairing/object', txidBytes, voutBytes, content),
      contentHash,
      label,
      status: 'active',
      carrier: null,
      address: null,
      pairId: null,
      pairedWith: null,
      createdTxid: txid,
      createdHeight: height,
      eventCount: 0,
    }
    records.objects.set(object.objectKey, object)
    tell('object_created', object, { to: carry(object, vout) })
  }
  if (instruction && opcode === PAIR) {
    const [one, other] = instruction.inputs.map((input) => spent[input]!) as [
      PairingObject,
      PairingObject,
    ]
    const keys = [one.objectKey, other.objectKey].sort().map((key) => Buffer.from(key, 'hex'))
    const pairId = taggedHash('pairing/pair', ...keys, txidBytes)
    for (const [half, mate] of [
      [one, other],
      [other, one],
    ] as const) {
      half.pairId = pairId
      half.pairedWith = mate.objectKey
      tell('objects_paired', half, { pairId })
    }
  }
  changes.events.push(...events)
  if (events.length > 0) records.events.set(txid, events)
}
