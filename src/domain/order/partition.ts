import { hash } from 'node:crypto'

/** The partition of everything that concerns an output: fixed for the life of the topics. */
export const partitionOf = (outpoint: string, partitions: number): number =>
  hash('sha256', outpoint, 'buffer').readUInt32BE(0) % partitions
