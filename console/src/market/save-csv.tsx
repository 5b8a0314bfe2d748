import { saveFile } from '../ui/handoff/save-file.ts'
import { csvOf } from './csv.ts'
import { type Chosen, filtersOf } from './statistics.ts'

interface Rows {
  /** Is it what was asked for before? */
  isOld?: boolean
  rows: Parameters<typeof csvOf>[0]
  /** Of the file. */
  name: string
}

/** The rows that are shown, with all their columns, for a spreadsheet. */
export const SaveCsv = ({ rows, name, isOld = false }: Rows) => (
  <button
    type="button"
    class="plain"
    disabled={isOld}
    onClick={() => saveFile(new TextEncoder().encode(csvOf(rows)), `${name}.csv`)}
  >
    Save as CSV
  </button>
)

interface CsvQuestion {
  statistic: string
  chosen: Chosen
  interval?: string
}

/** The same question as files of the service, with all rows: their addresses are for programs too. */
export function AllRows({ statistic, chosen, interval }: CsvQuestion) {
  const query = new URLSearchParams({ ...filtersOf(chosen), ...(interval && { interval }) })
  const search = query.size > 0 ? `?${query}` : ''
  return (
    <span class="quiet">
      All rows:{' '}
      <a href={`/api/market/stats/${statistic}.csv${search}`} download={`${statistic}.csv`}>
        CSV
      </a>
      {', '}
      <a href={`/api/market/stats/${statistic}.parquet${search}`} download={`${statistic}.parquet`}>
        Parquet
      </a>
    </span>
  )
}
