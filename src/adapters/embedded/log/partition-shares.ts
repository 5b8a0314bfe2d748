import type { PartitionShares } from '../../../ports/log/partition-shares.ts'

/** Of a log that only this process has open: all partitions are its own. */
export const allPartitions = (partitions: number): PartitionShares => ({
  async share(work, signal) {
    await Promise.all(Array.from({ length: partitions }, (_, partition) => work(partition, signal)))
  },
})
