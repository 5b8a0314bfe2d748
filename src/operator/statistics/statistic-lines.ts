import { STATISTIC_NAMES, STATISTICS } from '../../domain/statistics/statistics.ts'

/** The names, for the shell to complete. */
export const statisticNames = (): string[] => [...STATISTIC_NAMES]

/** Each name with what it is about. */
export const statisticLines = (): string[] => {
  const width = Math.max(...STATISTIC_NAMES.map((name) => name.length))
  return STATISTIC_NAMES.map((name) => `${name.padEnd(width)}  ${STATISTICS[name].says}`)
}
