import type { StatisticRow, StatisticValue } from '../../ports/views/statistics.ts'

export interface FittedTable {
  lines: string[]
  /** Columns that found no room. */
  left: readonly string[]
}

interface Column {
  name: string
  cells: readonly string[]
}

const GAP = '  '
/** What is shown of an id; a name that is little longer stays whole. */
const ID_WIDTH = 11
const MAX_WHOLE = 16
const ELLIPSIS = '…'

const TIME = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(?:\.\d+)?Z$/
const NUMBER = /^-?\d+(?:\.\d+)?$/

/** All columns as they are, side by side under their names; no rows are `no rows`. */
export const wholeTable = (rows: readonly StatisticRow[]): FittedTable => ({
  lines: linesOf(columnsOf(rows)),
  left: [],
})

/**
 * As many columns as fit a line of so many characters: long cells are cut in the middle, times are by the
 * minute, and a seller is an address, or the script where there is none. Numbers are never cut. What is left
 * out first is empty, or an id or a time beside one of its kind; then what is furthest to the right.
 */
export function fittedTable(rows: readonly StatisticRow[], width: number): FittedTable {
  const all = columnsOf(rows.map(withOneSeller))
  if (widthOf(all) <= width) return { lines: linesOf(all), left: [] }
  const shown = new Set(all.map(shortened))
  for (const column of leastWanted(all.map(kindOf), [...shown])) {
    if (widthOf([...shown]) <= width) break
    shown.delete(column)
  }
  const names = new Set([...shown].map(({ name }) => name))
  const left = all.map(({ name }) => name).filter((name) => !names.has(name))
  return { lines: linesOf([...shown]), left }
}

type Kind = 'empty' | 'id' | 'time' | 'other'

function kindOf({ cells }: Column): Kind {
  const given = cells.filter((cell) => cell !== NONE)
  if (given.length === 0) return 'empty'
  if (given.every((cell) => TIME.test(cell))) return 'time'
  return given.every((cell) => isLong(cell)) ? 'id' : 'other'
}

/** All columns but the first, in the order in which they are left out. */
function leastWanted(kinds: readonly Kind[], columns: readonly Column[]): Column[] {
  const isRepeated = (at: number): boolean => {
    const kind = kinds[at] ?? 'other'
    return kind === 'empty' || (kind !== 'other' && kinds.indexOf(kind) < at)
  }
  const places = columns.map((_, at) => at).slice(1)
  const order = [
    ...places.filter(isRepeated).reverse(),
    ...places.filter((at) => !isRepeated(at)).reverse(),
  ]
  return order.flatMap((at) => columns[at] ?? [])
}

function withOneSeller({ seller_script_hex: script, ...row }: StatisticRow): StatisticRow {
  if (script === undefined) return row
  const { seller_address: address = null } = row
  return { ...row, seller_address: address ?? script }
}

function columnsOf(rows: readonly StatisticRow[]): Column[] {
  const names = Object.keys(rows[0] ?? {})
  return names.map((name) => ({ name, cells: rows.map((row) => cellOf(row[name] ?? null)) }))
}

const NONE = '-'
const cellOf = (value: StatisticValue): string =>
  value === null ? NONE : typeof value === 'object' ? value.map(cellOf).join(' ') : String(value)

const shortened = ({ name, cells }: Column): Column => ({ name, cells: cells.map(shortCell) })

function shortCell(cell: string): string {
  const time = TIME.exec(cell)
  if (time) return `${time[1]} ${time[2]}`
  if (!isLong(cell)) return cell
  const characters = [...cell]
  const half = (ID_WIDTH - ELLIPSIS.length) / 2
  return [...characters.slice(0, half), ELLIPSIS, ...characters.slice(-half)].join('')
}

const isLong = (cell: string): boolean => [...cell].length > MAX_WHOLE && !NUMBER.test(cell)

const widthOf = (columns: readonly Column[]): number =>
  columns.reduce((sum, column) => sum + columnWidth(column), 0) +
  GAP.length * Math.max(0, columns.length - 1)

const columnWidth = ({ name, cells }: Column): number =>
  cells.reduce((most, cell) => Math.max(most, cell.length), name.length)

function linesOf(columns: readonly Column[]): string[] {
  const [first] = columns
  if (!first) return ['no rows']
  const padded = columns.map((column) => {
    const width = columnWidth(column)
    return [column.name, ...column.cells].map((cell) => cell.padEnd(width))
  })
  return [first.name, ...first.cells].map((_, at) =>
    padded
      .map((cells) => cells[at])
      .join(GAP)
      .trimEnd(),
  )
}
