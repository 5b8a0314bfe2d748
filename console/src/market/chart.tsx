import { useEffect, useRef } from 'preact/hooks'
import UPlot from 'uplot'
import { coloursOf } from '../ui/colours.ts'
import { useThemeCount } from '../ui/shell/theme-count.ts'
import 'uplot/dist/uPlot.min.css'

const HEIGHT_PX = 260
const FONT = '12px system-ui, sans-serif'

const COLOURS = ['ink', 'quiet', 'line', 'good', 'bad'] as const

/** The colours of the page, which a canvas cannot inherit. */
export type ChartColours = Record<(typeof COLOURS)[number], string>

export type ChartOptions = Omit<UPlot.Options, 'width' | 'height'>

interface ChartParts {
  /** For screen readers: what is drawn. The page has the same as a table. */
  label: string
  data: UPlot.AlignedData
  options(colours: ChartColours): ChartOptions
}

/** A chart as wide as its place, drawn again in other colours when the theme changes. */
export function Chart({ label, data, options }: ChartParts) {
  const place = useRef<HTMLDivElement>(null)
  const theme = useThemeCount()
  useEffect(() => {
    const element = place.current
    if (!element) return
    const given = options(coloursOf(element, COLOURS))
    const chart = new UPlot(
      {
        ...given,
        hooks: { ...given.hooks, ready: [showLast] },
        width: element.clientWidth,
        height: HEIGHT_PX,
      },
      data,
      element,
    )
    chart.over.addEventListener('mouseleave', () => showLast(chart))
    const resized = new ResizeObserver(() => {
      chart.setSize({ width: element.clientWidth, height: HEIGHT_PX })
    })
    resized.observe(element)
    return () => {
      resized.disconnect()
      chart.destroy()
    }
  }, [data, options, theme])
  return <div ref={place} class="chart" role="img" aria-label={label} />
}

/** Over time, the legend has the last values while nothing is pointed at. */
function showLast(chart: UPlot): void {
  if (chart.scales['x']?.time) chart.setLegend({ idx: chart.data[0].length - 1 })
}

/** Marks of an axis, its ends included. */
const MAX_MARKS = 6

interface AxisParts {
  /** What it counts, and in which unit. */
  title: string
  text?(value: number): string
  /** Room for a mark, px: along the axis, so that none touches another. */
  space?: number
}

const axis = (
  { quiet, line }: ChartColours,
  { title, text, space = 30 }: AxisParts,
): UPlot.Axis => ({
  label: title,
  labelSize: 22,
  labelFont: FONT,
  stroke: quiet,
  font: FONT,
  grid: { stroke: line, width: 1 },
  ticks: { stroke: line, width: 1 },
  space: (_chart, _axis, _first, _last, length) => Math.max(space, length / (MAX_MARKS - 1)),
  ...(text && { values: (_chart, values) => values.map(text) }),
})

/** The axis along the bottom. */
export const acrossAxis = (colours: ChartColours, parts: AxisParts): UPlot.Axis => ({
  ...axis(colours, { space: 90, ...parts }),
  size: 34,
})

/** The axis at the left. */
export const upAxis = (colours: ChartColours, parts: AxisParts): UPlot.Axis => ({
  ...axis(colours, parts),
  size: 70,
})
