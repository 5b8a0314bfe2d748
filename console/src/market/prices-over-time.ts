import { groupedSats } from '../ui/values/amounts.ts'
import { acrossAxis, type ChartColours, type ChartOptions, upAxis } from './chart.tsx'
import type { Interval } from './statistics.ts'
import { inUtc, timeSteps, timeText } from './times.ts'

/** The axes of prices by time, in UTC. */
export const pricesOverTime = (
  colours: ChartColours,
  interval: Interval,
): Pick<ChartOptions, 'tzDate' | 'axes'> => ({
  tzDate: inUtc,
  axes: [
    {
      ...acrossAxis(colours, { title: 'Time, UTC', text: (at) => timeText(at, interval) }),
      incrs: timeSteps(interval),
    },
    upAxis(colours, {
      title: 'Price, sats',
      text: (sats) => groupedSats(String(Math.round(sats))),
    }),
  ],
})
