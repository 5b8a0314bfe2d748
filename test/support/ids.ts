import type { BlockHash, OrderId, OutpointText, Txid } from '../../src/schemas/scalars.ts'

// Ids made up by tests. The service gets an id from a schema, or computes it.

export const toTxid = (text: string): Txid => text as Txid
export const toBlockHash = (text: string): BlockHash => text as BlockHash
export const toOrderId = (text: string): OrderId => text as OrderId
export const toOutpointText = (text: string): OutpointText => text as OutpointText

/** A hash derived from a name, for anything that has one, including an order. */
export type AnyHash = Txid & OrderId & BlockHash
export const toAnyHash = (text: string): AnyHash => text as AnyHash
