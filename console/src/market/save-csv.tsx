import { saveFile } from '../ui/save-file.ts'
import { csvOf } from './csv.ts'

interface Rows {
  rows: Parameters<typeof csvOf>[0]
  /** Of the file. */
  name: string
}

/** The rows that are shown, with all their columns, for a spreadsheet. */
export const SaveCsv = ({ rows, name }: Rows) => (
  <button
    type="button"
    class="plain"
    onClick={() => saveFile(new TextEncoder().encode(csvOf(rows)), `${name}.csv`)}
  >
    Save as CSV
  </button>
)
