import type { IHeaders, KafkaMessage } from 'kafkajs'

/** A record as a broker keeps it, without its place. */
export interface RawRecord {
  key: Buffer | null
  value: Buffer | null
  headers: IHeaders
  /** Unix milliseconds, as its producer wrote it. */
  timestamp: number
}

export interface CopiedRecord extends RawRecord {
  offset: number
}

export const copiedRecordOf = ({
  key,
  value,
  headers = {},
  timestamp,
  offset,
}: KafkaMessage): CopiedRecord => ({
  ...{ key, value, headers },
  timestamp: Number(timestamp),
  offset: Number(offset),
})
