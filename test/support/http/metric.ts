/** The value of a series, with its labels as they are exposed; null: there is none yet. */
export async function metricOf(metricsAddress: string, series: string): Promise<number | null> {
  const lines = (await (await fetch(`${metricsAddress}/metrics`)).text()).split('\n')
  const found = lines.find((line) => line.startsWith(`${series} `))
  return found === undefined ? null : Number(found.slice(series.length))
}
