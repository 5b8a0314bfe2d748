import type { OutpointText } from '../../schemas/scalars.ts'
import { hashWord } from './hash-word.ts'

/** The partition of everything that concerns an output: fixed for the life of the topics. */
export const partitionOf = (outpoint: OutpointText, partitions: number): number =>
  hashWord(outpoint, 0) % partitions
