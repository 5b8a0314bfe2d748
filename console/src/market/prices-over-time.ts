import type UPlot from 'uplot'
import { groupedSats } from '../ui/values/amounts.ts'
import { acrossAxis, type ChartColours, type ChartOptions, upAxis } from './chart.tsx'
import type { Interval } from './statistics.ts'
import { inUtc, markText, SECONDS, timeMarks } from './times.ts'

/** The axes of amounts by time, in UTC; `title` says which amounts. */
export const pricesOverTime = (
  colours: ChartColours,
  interval: Interval,
  title = 'Price, sats',
): Pick<ChartOptions, 'tzDate' | 'axes'> => ({
  tzDate: inUtc,
  axes: [
    timeAxis(colours, interval),
    upAxis(colours, { title, text: (sats) => groupedSats(String(Math.round(sats))) }),
  ],
})

const timeAxis = (colours: ChartColours, interval: Interval): UPlot.Axis => ({
  ...acrossAxis(colours, { title: 'Time, UTC', text: (at) => markText(at, interval) }),
  size: 52,
  // One step as long as the axis: the marks are our own, and its length in px is what is found.
  incrs: (_chart, _axis, from, to) => [to - from],
  splits: (chart, _axis, from, to, _step, width) =>
    timeMarks({ times: [...chart.data[0]], from, to, width }, SECONDS[interval]),
})
