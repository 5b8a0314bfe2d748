import type { PartitionShares } from '../../../ports/log/partition-shares.ts'

/** For a log that only this process has open: it has all partitions. */
export const allPartitions = (partitions: number): PartitionShares => ({
  async share(work, signal) {
    await Promise.all(Array.from({ length: partitions }, (_, partition) => work(partition, signal)))
  },
})
