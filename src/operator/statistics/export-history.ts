import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { ROW_FORM } from '../../adapters/clickhouse/history-rows.ts'
import { EXPORTED_VIEWS, type ExportedView, type Statistics } from '../../ports/views/statistics.ts'
import type { Config } from '../../schemas/config/config.ts'
import type { OnProgress } from '../log/progress.ts'
import { withStatistics } from './open-statistics.ts'

/** The list beside the files of a view: how many rows each day had when it was written. */
const Written = z.strictObject({ form: z.int(), days: z.record(z.string(), z.int()) })
type Written = z.infer<typeof Written>

const LIST = 'days.json'

export interface HistoryExport {
  /** Days written now, and days that were already there, over all views. */
  written: number
  kept: number
  /** False: the signal interrupted it. */
  whole: boolean
  /** Whether today has rows that were not asked for: it is written tomorrow. */
  isTodayLeft: boolean
}

/**
 * Writes each day of the log's views that is over, and today if it is asked for, to `folder/<view>/<day>.parquet`. A day that was
 * written with as many rows as it has now is left as it is, so it resumes, and a day that gained
 * rows since is written again. A file appears whole or not at all.
 *
 * @throws as `withStatistics`
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
  withStatistics(config, async (statistics, now) => {
    const today = new Date(now).toISOString().slice(0, 10)
    const done: HistoryExport = { written: 0, kept: 0, whole: true, isTodayLeft: false }
    for (const view of EXPORTED_VIEWS) {
      const found = [...(await statistics.days(view))]
      const days = found.filter(([day]) => day < today || (withToday && day === today))
      done.isTodayLeft ||= !withToday && found.some(([day]) => day === today)
      for (const [at, [day, rows]] of days.entries()) {
        if (signal.aborted) return { ...done, whole: false }
        onProgress({ step: view, done: at, all: days.length })
        const path = join(folder, view, `${day}.parquet`)
        if (isWritten(folder, view, day, rows)) {
          done.kept += 1
          continue
        }
        await writeDay(statistics, { folder, view, day, rows })
        done.written += 1
        await onFile(path, rows)
      }
    }
    return done
  })

interface ExportedDay {
  folder: string
  view: ExportedView
  day: string
  rows: number
}

function isWritten(folder: string, view: ExportedView, day: string, rows: number): boolean {
  const isThere = existsSync(join(folder, view, `${day}.parquet`))
  return isThere && listOf(folder, view).days[day] === rows
}

async function writeDay(statistics: Statistics, { folder, view, day, rows }: ExportedDay) {
  const path = join(folder, view, `${day}.parquet`)
  const part = `${path}.part`
  mkdirSync(join(folder, view), { recursive: true })
  rmSync(part, { force: true })
  await statistics.exportDay(view, day, part)
  const { days } = listOf(folder, view)
  renameSync(part, path)
  const list = join(folder, view, LIST)
  writeFileSync(`${list}.part`, JSON.stringify({ form: ROW_FORM, days: { ...days, [day]: rows } }))
  renameSync(`${list}.part`, list)
}

/** Empty if there is none, or if it is of rows with other columns. */
function listOf(folder: string, view: ExportedView): Written {
  const none = { form: ROW_FORM, days: {} }
  const path = join(folder, view, LIST)
  if (!existsSync(path)) return none
  const written = Written.parse(JSON.parse(readFileSync(path, 'utf8')))
  return written.form === ROW_FORM ? written : none
}
