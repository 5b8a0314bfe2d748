import type { FastifySchema } from 'fastify'
import { z } from 'zod'
import { type FileFormat, MAX_STATISTIC_ROWS } from '../../ports/views/statistics.ts'
import { StatisticFilePath, StatisticFileQuery } from '../../schemas/api/statistics.ts'

const FORMATS = {
  csv: {
    operationId: 'readStatisticCsv',
    what: 'CSV',
    mediaType: 'text/csv',
    says: 'CSV of RFC 4180 in UTF-8, its first line the names of the columns; what is null is an empty cell.',
  },
  parquet: {
    operationId: 'readStatisticParquet',
    what: 'Parquet',
    mediaType: 'application/vnd.apache.parquet',
    says: 'Parquet, as DuckDB, pandas and others read it by its address.',
  },
} as const satisfies Record<FileFormat, object>

/** A statistic as a file. */
export function statisticFileOperation(format: FileFormat) {
  const { operationId, what, mediaType, says } = FORMATS[format]
  return {
    operationId,
    summary: `A statistic as ${what}`,
    description:
      `${says} It has the columns of the statistic's view and all its rows; a file of more than ${MAX_STATISTIC_ROWS} rows ` +
      'or 16 MiB is refused, unless `limit` asks for its first rows. A file may be a minute old; `Range` reads a part of it.',
    tags: ['statistics'],
    refusals: ['HISTORY_UNAVAILABLE'],
    mediaType,
    hasRanges: true,
    params: StatisticFilePath,
    querystring: StatisticFileQuery,
    response: { 200: z.string().describe('the bytes of the file') },
  } satisfies FastifySchema
}
