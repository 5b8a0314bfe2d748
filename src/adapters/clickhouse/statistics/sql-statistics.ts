import { z } from 'zod'
import type { BoundStatistic } from '../../../domain/statistics/statistics.ts'
import { HistoryUnavailableError } from '../../../ports/views/history.ts'
import {
  type ExportedView,
  type FileFormat,
  type HistoryOrigin,
  MAX_STATISTIC_ROWS,
  type StatisticPage,
  type StatisticRow,
  type StatisticRows,
  type Statistics,
  type StatisticValue,
} from '../../../ports/views/statistics.ts'
import { PAGE_MS, SCAN_MS, type SqlEngine } from '../engine/sql-engine.ts'
import type { UseEngine } from '../pairing/pairing-history.ts'
import { KEY_COLUMN, statisticQuery } from './questions.ts'

/** Memory that one answer may cost the engine; the export of a day may take longer and use more. */
const MAX_MEMORY_BYTES = 1_073_741_824
/** Values of an answer, before they are written in its format. */
const MAX_ANSWER_BYTES = 67_108_864
const MAX_EXPORT_MEMORY_BYTES = 4_294_967_296

const FORMATS: Record<FileFormat, string> = { csv: 'CSVWithNames', parquet: 'Parquet' }

const Value: z.ZodType<StatisticValue> = z.lazy(() =>
  z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(Value)]),
)
const KeyedRow = z
  .object({ [KEY_COLUMN]: z.array(z.string()) })
  .catchall(Value)
  .transform(({ [KEY_COLUMN]: key, ...row }) => ({ key, row: row as StatisticRow }))
const CountedRow = z.object({ shown: z.coerce.number() })
const DayRow = z.object({ day: z.string(), entries: z.coerce.number() })

const CHANGE =
  'SELECT log_partition AS partition, log_offset AS offset, hash FROM order_transition_rows'
const CHANGE_AT = `${CHANGE}
  WHERE log_partition = {partition:UInt32} AND log_offset = {offset:UInt64} LIMIT 1`
const FIRST_CHANGE = `${CHANGE} ORDER BY log_partition, log_offset LIMIT 1`
const OriginRow = z.object({
  partition: z.coerce.number(),
  offset: z.coerce.number(),
  hash: z.string(),
})

const OUTDATED_ROW = `
  SELECT 1 FROM order_transition_rows FINAL WHERE form < {form:UInt8} LIMIT 1`

/** The time of a row, by which it is exported. */
const TIMES: Record<ExportedView, string> = {
  order_transitions: 'observed_at',
  order_evidence: 'asked_at',
  verifications: 'verified_at',
  settlements: 'observed_at',
}

/** Statistics by the engine of the history; its failures are `HistoryUnavailableError`. */
export class SqlStatistics implements Statistics {
  readonly #use: UseEngine
  readonly #rowForm: number

  /** `rowForm`: `ROW_FORM`, the form of rows with all columns. */
  constructor(use: UseEngine, rowForm: number) {
    this.#use = use
    this.#rowForm = rowForm
  }

  async rows(question: BoundStatistic, { limit, after }: StatisticPage): Promise<StatisticRows> {
    const page = { limit: limit + 1, ...(after && { after }), withKey: true }
    const { sql, params } = statisticQuery(question, page)
    const bytes = await this.#use((engine) =>
      engine.answer(sql, params, { format: 'JSONEachRow', ...limitsOf(limit + 1) }),
    )
    const lines = bytes.toString('utf8').split('\n')
    const found = lines
      .filter((line) => line !== '')
      .map((line) => KeyedRow.parse(JSON.parse(line)))
    const shown = found.slice(0, limit)
    return {
      rows: shown.map(({ row }) => row),
      next: found.length > limit ? (shown.at(-1)?.key ?? null) : null,
    }
  }

  async file(question: BoundStatistic, format: FileFormat, limit: number) {
    const isForSpreadsheets = format === 'csv'
    const page = { limit, withKey: false, isForSpreadsheets }
    const { sql, params } = statisticQuery(question, page)
    const more = statisticQuery(question, { limit: limit + 1, withKey: false })
    return await this.#use(async (engine) => {
      const options = { format: FORMATS[format], ...limitsOf(limit + 1) }
      const bytes = await engine.answer(sql, params, options)
      const counting = `SELECT count() AS shown FROM (${more.sql})`
      const [row] = await engine.select(counting, more.params)
      return { bytes, isWhole: CountedRow.parse(row).shown <= limit }
    })
  }

  async origin(known: HistoryOrigin | null): Promise<HistoryOrigin | null> {
    const { partition = 0, offset = 0 } = known ?? {}
    const sql = known ? CHANGE_AT : FIRST_CHANGE
    const found = await this.#use((engine) => engine.select(sql, { partition, offset }, SCAN_MS))
    return found.map((row) => OriginRow.parse(row))[0] ?? null
  }

  async days(view: ExportedView): Promise<ReadonlyMap<string, number>> {
    const sql = `SELECT toDate(${TIMES[view]}) AS day, count() AS entries FROM ${view}
      GROUP BY day ORDER BY day`
    const rows = await this.#use(async (engine) => {
      if (view === 'order_transitions') await this.#requireForm(engine)
      return await engine.select(sql, {}, SCAN_MS)
    })
    return new Map(
      rows.map((row) => DayRow.parse(row)).map(({ day, entries }) => [day, entries] as const),
    )
  }

  async exportDay(view: ExportedView, day: string, path: string): Promise<void> {
    const time = TIMES[view]
    const sql = `SELECT * FROM ${view} WHERE toDate(${time}) = {day:Date} ORDER BY ${time}, order_id`
    const options = { format: 'Parquet', memory: MAX_EXPORT_MEMORY_BYTES, withinMs: SCAN_MS }
    await this.#use((engine) => engine.write(sql, { day }, path, options))
  }

  /** An exported file of such rows would never be written again: their number stays the same. */
  async #requireForm(engine: SqlEngine): Promise<void> {
    const rows = await engine.select(OUTDATED_ROW, { form: this.#rowForm }, SCAN_MS)
    if (rows.length > 0)
      throw new HistoryUnavailableError(
        'the projector is writing the history again, for columns that its older rows lack: export it when that is done',
      )
  }
}

const limitsOf = (rows: number) => ({
  bytes: MAX_ANSWER_BYTES,
  rows: Math.min(rows, MAX_STATISTIC_ROWS + 1),
  memory: MAX_MEMORY_BYTES,
  withinMs: PAGE_MS,
})
