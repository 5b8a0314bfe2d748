import { randomUUID } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { ROW_FORM } from '../../adapters/clickhouse/history-rows.ts'
import { OperatorError } from '../../ports/base-errors.ts'
import { EXPORTED_VIEWS, type ExportedView, type Statistics } from '../../ports/views/statistics.ts'
import type { Config } from '../../schemas/config/config.ts'
import type { OnProgress } from '../log/progress.ts'
import { withStatistics } from './open-statistics.ts'

/** The list beside the files of a view: how many rows each day had when it was written. */
const Written = z.strictObject({ form: z.int(), days: z.record(z.string(), z.int()) })
type Written = z.infer<typeof Written>

const LIST = 'days.json'
/** The change with which the history begins whose files a folder has. */
const Origin = z.strictObject({ partition: z.int(), offset: z.int(), hash: z.string() })
const ORIGIN = 'history.json'
const PART = '.part'
/** No file is written for so long: what is older was left by an export that was killed. */
const LEFT_AFTER_MS = 86_400_000

/** A list of what an export has written cannot be read. */
export class DamagedExportError extends OperatorError {
  override name = 'DamagedExportError'
}

/** The folder has files of another history, or this one is being filled again. */
export class OtherHistoryError extends OperatorError {
  override name = 'OtherHistoryError'
}

export interface HistoryExport {
  /** Days written now, and days that were already there, over all views. */
  written: number
  kept: number
  /** Days that were written with more rows than they have now: they are left as they are. */
  shrunk: number
  /** False: the signal interrupted it. */
  whole: boolean
  /** Whether today has rows that were not asked for: it is written tomorrow. */
  isTodayLeft: boolean
}

/**
 * Writes each day of the log's views that is over, and today if it is asked for, to `folder/<view>/<day>.parquet`. A day that was
 * written with as many rows as it has now is left as it is, so it resumes, and a day that gained
 * rows since is written again. One that had more is left too: rows are only added, so the history is being
 * filled again. A file appears whole or not at all.
 *
 * @throws OtherHistoryError, DamagedExportError, or as `withStatistics`
 */
export const exportHistory = (
  config: Config,
  folder: string,
  {
    onFile,
    withToday = false,
    onProgress = () => {},
  }: {
    withToday?: boolean
    onFile: (path: string, rows: number) => Promise<void>
    onProgress?: OnProgress
  },
  signal: AbortSignal,
): Promise<HistoryExport> =>
  withStatistics(config, 'export', async (statistics, now) => {
    const today = new Date(now).toISOString().slice(0, 10)
    const done: HistoryExport = { written: 0, kept: 0, shrunk: 0, whole: true, isTodayLeft: false }
    await claimFolder(folder, statistics)
    dropLeft(folder, now)
    for (const view of EXPORTED_VIEWS) {
      dropLeft(join(folder, view), now)
      const found = [...(await statistics.days(view))]
      const days = found.filter(([day]) => day < today || (withToday && day === today))
      done.isTodayLeft ||= !withToday && found.some(([day]) => day === today)
      for (const [at, [day, rows]] of days.entries()) {
        if (signal.aborted) return { ...done, whole: false }
        onProgress({ step: view, done: at, all: days.length })
        const path = join(folder, view, `${day}.parquet`)
        const before = rowsWritten(folder, view, day)
        if (before >= rows) {
          done[before === rows ? 'kept' : 'shrunk'] += 1
          continue
        }
        await writeDay(statistics, { folder, view, day, rows })
        done.written += 1
        await onFile(path, rows)
      }
    }
    return done
  })

/** Files of two histories in one folder would be read as one. */
async function claimFolder(folder: string, statistics: Statistics): Promise<void> {
  const path = join(folder, ORIGIN)
  const known = existsSync(path) ? parsedFile(path, Origin, 'export to a folder of its own') : null
  const found = await statistics.origin(known)
  if (known && found?.hash !== known.hash)
    throw new OtherHistoryError(
      `the files in ${folder} are of a history with another first change: export to a folder of its own, or, if the history is being filled again, later`,
    )
  if (known || !found) return
  mkdirSync(folder, { recursive: true })
  writeWhole(path, JSON.stringify(found))
}

interface ExportedDay {
  folder: string
  view: ExportedView
  day: string
  rows: number
}

/** How many rows the file of a day has; -1: there is none. */
function rowsWritten(folder: string, view: ExportedView, day: string): number {
  const isThere = existsSync(join(folder, view, `${day}.parquet`))
  return (isThere ? listOf(folder, view).days[day] : undefined) ?? -1
}

async function writeDay(statistics: Statistics, { folder, view, day, rows }: ExportedDay) {
  const path = join(folder, view, `${day}.parquet`)
  const part = partOf(path)
  mkdirSync(join(folder, view), { recursive: true })
  try {
    await statistics.exportDay(view, day, part)
    const days = { ...listOf(folder, view).days, [day]: rows }
    renameSync(part, path)
    writeWhole(join(folder, view, LIST), JSON.stringify({ form: ROW_FORM, days }))
  } finally {
    rmSync(part, { force: true })
  }
}

function writeWhole(path: string, text: string): void {
  const part = partOf(path)
  try {
    writeFileSync(part, text)
    renameSync(part, path)
  } finally {
    rmSync(part, { force: true })
  }
}

/** Another export may write to the same folder. */
const partOf = (path: string): string => `${path}.${randomUUID()}${PART}`

function dropLeft(folder: string, now: number): void {
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder).filter((one) => one.endsWith(PART))) {
    const path = join(folder, name)
    const age = now - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now)
    if (age > LEFT_AFTER_MS) rmSync(path, { force: true })
  }
}

function parsedFile<T>(path: string, schema: z.ZodType<T>, cure: string): T {
  try {
    return schema.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch (cause) {
    if (!(cause instanceof SyntaxError || cause instanceof z.ZodError)) throw cause
    throw new DamagedExportError(`${path} is not as an export writes it: ${cure}`, { cause })
  }
}

/** Empty if there is none, or if it is of rows with other columns. */
function listOf(folder: string, view: ExportedView): Written {
  const none = { form: ROW_FORM, days: {} }
  const path = join(folder, view, LIST)
  if (!existsSync(path)) return none
  const written = parsedFile(
    path,
    Written,
    'remove it, and all days of its folder are written again',
  )
  return written.form === ROW_FORM ? written : none
}
