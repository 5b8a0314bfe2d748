import { useEffect, useRef } from 'preact/hooks'
import UPlot from 'uplot'
import { useThemeCount } from './theme-count.ts'
import 'uplot/dist/uPlot.min.css'

const HEIGHT_PX = 260
const FONT = '12px system-ui, sans-serif'

/** The colours of the page, which a canvas cannot inherit. */
export interface ChartColours {
  ink: string
  quiet: string
  line: string
  good: string
  bad: string
}

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
    const given = options(coloursOf(element))
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

function coloursOf(element: Element): ChartColours {
  const style = getComputedStyle(element)
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim()
  return {
    ink: colour('ink'),
    quiet: colour('quiet'),
    line: colour('line'),
    good: colour('good'),
    bad: colour('bad'),
  }
}

/** An axis in the page's colours; `text` writes a value. */
export const axis = (
  { quiet, line }: ChartColours,
  text?: (value: number) => string,
): UPlot.Axis => ({
  stroke: quiet,
  font: FONT,
  grid: { stroke: line, width: 1 },
  ticks: { stroke: line, width: 1 },
  ...(text && { values: (_chart, values) => values.map(text), size: 76 }),
})
