/** The size of a partition. If a driver counts by samples, records and bytes are estimates. */
export interface PartitionSize {
  partition: number
  records: number
  bytes: number
  /** When the oldest record was appended, Unix milliseconds; null if there is none. */
  oldestAt: number | null
  /** The part of `bytes` appended since the requested moment. */
  bytesSince: number
}

export interface TopicSize {
  topic: string
  partitions: PartitionSize[]
}

/** A table of a store, or a family of keys. */
export interface TableSize {
  name: string
  entries: number
  bytes: number
}

/** A history that reports the disk usage of its tables. */
export interface HistorySizes {
  sizes(): Promise<TableSize[]>
}
