import { hash } from 'node:crypto'
import type { OutpointText } from '../../schemas/scalars.ts'

/** The partition of everything that concerns an output: fixed for the life of the topics. */
export const partitionOf = (outpoint: OutpointText, partitions: number): number =>
  hash('sha256', outpoint, 'buffer').readUInt32BE(0) % partitions
