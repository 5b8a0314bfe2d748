/** Divides the partitions of the lifecycle among processes that do the same work. */
export interface PartitionShares {
  /**
   * Runs the work for each partition that is assigned to this process, until the signal aborts. The
   * work's own signal aborts when the partition goes to another process, which may begin before this
   * one has ended. Rejects if partitions can no longer be assigned.
   */
  share(
    work: (partition: number, signal: AbortSignal) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void>
}
