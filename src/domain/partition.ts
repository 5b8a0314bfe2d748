import { createHash } from 'node:crypto'

/** The partition of everything that concerns an output: fixed for the life of the topics. */
export const partitionOf = (outpoint: string, partitions: number): number =>
  createHash('sha256').update(outpoint).digest().readUInt32BE(0) % partitions
