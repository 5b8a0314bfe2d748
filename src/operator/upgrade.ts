import type { Config } from '../schemas/config/config.ts'
import { NEWEST_LOG_SCHEMA } from '../schemas/log.ts'
import { type ExistingLog, withExistingLog } from './log/open-existing.ts'

export interface UpgradeStatus {
  /** The newest form that records of the log may have now. */
  schema: number
  /** The newest one that this release writes. */
  newest: number
  isFinished: boolean
}

/** Which form the records of the log may have (ADR 111). */
export const upgradeStatus = (config: Config): Promise<UpgradeStatus> =>
  withExistingLog(config, 'upgrade status', async ({ form }) => statusOf(form))

/**
 * Lets records have the newest form of this release. Releases that do not read it are refused at
 * their start from now on; processes of this release write it from their next start on.
 */
export const finishUpgrade = (config: Config): Promise<UpgradeStatus> =>
  withExistingLog(config, 'upgrade finish', async ({ form }) => {
    if (form && form.schema < NEWEST_LOG_SCHEMA) await form.raise(NEWEST_LOG_SCHEMA)
    return statusOf(form && { schema: NEWEST_LOG_SCHEMA })
  })

/** A log in DATA_DIR has one reader: it is always of the release that opened it last. */
function statusOf(form: Pick<NonNullable<ExistingLog['form']>, 'schema'> | null): UpgradeStatus {
  const schema = form?.schema ?? NEWEST_LOG_SCHEMA
  return { schema, newest: NEWEST_LOG_SCHEMA, isFinished: schema === NEWEST_LOG_SCHEMA }
}

export const upgradeLines = ({ schema, newest, isFinished }: UpgradeStatus): string[] =>
  isFinished
    ? [`records may have form ${schema}, the newest of this release: no upgrade is open`]
    : [
        `records may have form ${schema}: the release before this one can still be started`,
        `"market upgrade finish" lets them have form ${newest}, which that release does not read`,
      ]
