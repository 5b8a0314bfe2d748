import { setTimeout as delay } from 'node:timers/promises'
import { evaluate, STEP_MS } from './prometheus.ts'
import { type AlertRule, rules } from './rules.ts'

/** How fast the test goes: one scrape of it is one of Prometheus. */
export interface Pace {
  /** Milliseconds between two scrapes of the test. */
  everyMs: number
  /** What they count as, milliseconds. */
  countsMs: number
}

const AS_SCRAPED: Pace = { everyMs: 1_000, countsMs: STEP_MS }
/**
 * For a test that has the fault for seconds. Prometheus takes a sample for five minutes, so that a minute
 * between two of them changes no rule that has no range.
 */
export const QUICK: Pace = { everyMs: 300, countsMs: 60_000 }
/** For an answer; the next scrape waits for it. */
const SCRAPE_MS = 900
/** Scrapes that are evaluated: 45 minutes of Prometheus' time, more than any rule looks back. */
const KEPT = 180
const EVALUATE_MS = 1_000

/** Ages in seconds: they are stretched as the time between two scrapes is. */
const AGES = new Set(['market_partition_behind_seconds'])

/** Prometheus scrapes itself too: there is a sample although no process of the service is left. */
const OWN_SERIES = 'up'

/** The names of the series that these rules read, and of the one that each scrape has. */
const seriesOf = (of: readonly AlertRule[]): ReadonlySet<string> =>
  new Set([
    OWN_SERIES,
    ...of.flatMap(
      ({ expr }) => expr.match(/\b(?:up\b|(?:market|nodejs|process)_[a-z0-9_]+)/g) ?? [],
    ),
  ])
const NAMES = seriesOf(rules)

export interface Target {
  /** Of the pod: the same process, started again, has the same name. */
  name: string
  role: string
  metricsAddress: string
}

interface Sample {
  name: string
  /** As `evaluate` takes it. */
  line: string
}

/**
 * What Prometheus would have of these processes: each is scraped every second, and a scrape counts
 * as one of its 15 s, or as the pace says.
 */
export class Scraper {
  readonly #pace: Pace
  readonly #targets = new Map<string, Target>()
  readonly #scrapes: Sample[][] = []
  readonly #stop = new AbortController()
  #count = 0
  #done: Promise<void> = Promise.resolve()

  constructor(pace: Pace = AS_SCRAPED) {
    this.#pace = pace
  }

  /** Scrapes these until the end of the block. */
  static of(targets: readonly Target[], pace: Pace): Scraper {
    const scraper = new Scraper(pace)
    for (const target of targets) scraper.scrape(target)
    scraper.start()
    return scraper
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  /** A target is scraped until it is forgotten: meanwhile `up` is 0 when it does not answer. */
  scrape({ name, role, metricsAddress }: Target): void {
    this.#targets.set(name, { name, role, metricsAddress })
  }

  /** Its pod was deleted. */
  forget(name: string): void {
    this.#targets.delete(name)
  }

  start(): void {
    this.#done = this.#run()
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#done
  }

  /** Resolves once each of these has fired since it was asked, or none of them fires. */
  async until(alerts: readonly string[], fire: boolean, limitMs: number): Promise<void> {
    const asked = alerts.map((alert) => ruleOf(alert))
    const end = performance.now() + limitMs
    const first = this.#count
    await this.passed(1)
    for (;;) {
      const firing = await this.#firing(asked, fire ? first : this.#count - 1)
      const others = alerts.filter((alert) => firing.has(alert) !== fire)
      if (others.length === 0) return
      if (performance.now() > end) {
        const what = fire ? 'do not fire' : 'do not rest'
        const all = [...(await this.#firing(rules, this.#count - 1))]
        throw new Error(`${others.join(', ')} ${what}; firing: ${all.join(', ')}`)
      }
      await delay(EVALUATE_MS)
    }
  }

  /** Resolves after so many scrapes. */
  async passed(scrapes: number): Promise<void> {
    const until = this.#count + scrapes
    while (this.#count < until) await delay(50)
  }

  /** Which of these alerts fire at this scrape or a later one. */
  async #firing(of: readonly AlertRule[], scrape: number): Promise<Set<string>> {
    const { countsMs } = this.#pace
    const names = seriesOf(of)
    const samples = this.#scrapes.flat().filter(({ name }) => names.has(name))
    const fired = await evaluate(
      samples.map(({ line }) => line),
      of,
      countsMs,
    )
    return new Set(fired.filter(({ to }) => to >= scrape * countsMs).map(({ alert }) => alert))
  }

  async #run(): Promise<void> {
    const { everyMs, countsMs } = this.#pace
    while (!this.#stop.signal.aborted) {
      const next = performance.now() + everyMs
      const at = this.#count * countsMs
      const targets = [...this.#targets.values()]
      const read = await Promise.all(targets.map((one) => scrapeOf(one, at, countsMs / everyMs)))
      const own = { name: OWN_SERIES, line: `${OWN_SERIES}{job="prometheus"} 1 ${at}` }
      this.#scrapes.push([own, ...read.flat()])
      if (this.#scrapes.length > KEPT) this.#scrapes.shift()
      this.#count += 1
      await delay(Math.max(0, next - performance.now()))
    }
  }
}

function ruleOf(alert: string): AlertRule {
  const rule = rules.find((one) => one.alert === alert)
  if (!rule) throw new Error(`there is no alert ${alert}`)
  return rule
}

/** The samples of one target, with the labels that Prometheus gives them. */
async function scrapeOf(
  { name, role, metricsAddress }: Target,
  at: number,
  stretch: number,
): Promise<Sample[]> {
  const own = `job="shop/market",namespace="shop",pod="${name}",role="${role}"`
  const up = (value: 0 | 1): Sample => ({ name: 'up', line: `up{${own}} ${value} ${at}` })
  try {
    const signal = AbortSignal.timeout(SCRAPE_MS)
    const answer = await fetch(`${metricsAddress}/metrics`, { signal })
    const lines = (await answer.text()).split('\n')
    return [up(1), ...lines.flatMap((line) => sampleOf(line, own, at, stretch))]
  } catch {
    return [up(0)]
  }
}

const SAMPLE = /^(\w+)(?:\{(.*)\})? (\S+)$/

function sampleOf(line: string, own: string, at: number, stretch: number): Sample[] {
  const [, name = '', labels = '', value = ''] = SAMPLE.exec(line) ?? []
  if (!NAMES.has(name)) return []
  const all = labels === '' ? own : `${labels},${own}`
  const figure = AGES.has(name) ? Number(value) * stretch : value
  return [{ name, line: `${name}{${all}} ${figure} ${at}` }]
}
