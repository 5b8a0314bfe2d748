import type { Registry } from 'prom-client'
import type { Clock } from '../../runtime/clock.ts'
import type { DiskFacts, ProcessFacts } from '../../schemas/operations.ts'

const EVERY_MS = 15_000
/** Over a minute. */
const RATED = 4
/** The use of the disk is kept each ten minutes, for a day. */
const DISK_EVERY_MS = 600_000
const DISK_KEPT = 144
/** A shorter time says nothing of a day. */
const LEAST_DISK_MS = 3_600_000
const DAY_MS = 86_400_000
const IMPORTS = /\/import(?:\/|$)/

interface MeteredCounts {
  at: number
  requests: number
  imports: number
}

interface DiskUse {
  at: number
  used: number
}

export interface MeterParts {
  registry: Registry
  clock: Pick<Clock, 'now' | 'monotonic' | 'sleep'>
  role: ProcessFacts['role']
}

/** How fast this process works and its disk fills, from the metrics that it exposes. */
export class ProcessMeter {
  readonly #parts: MeterParts
  readonly #startedAt: number
  readonly #begun: number
  #counts: MeteredCounts[] = []
  #disk: DiskUse[] = []

  constructor(parts: MeterParts) {
    this.#parts = parts
    this.#startedAt = parts.clock.now()
    this.#begun = parts.clock.monotonic()
  }

  /** Reads the metrics now and then, until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#note()
      await this.#parts.clock.sleep(EVERY_MS, signal)
    }
  }

  async read(): Promise<ProcessFacts> {
    const { clock, role } = this.#parts
    const [first] = this.#counts
    const now = await this.#countsNow()
    const seconds = first ? (now.at - first.at) / 1_000 : 0
    const rateOf = (count: keyof MeteredCounts) =>
      first && seconds > 0 ? (now[count] - first[count]) / seconds : null
    return {
      role,
      startedAt: new Date(this.#startedAt).toISOString(),
      uptimeSeconds: Math.floor((clock.monotonic() - this.#begun) / 1_000),
      requestsPerSecond: rateOf('requests'),
      importsPerSecond: rateOf('imports'),
      disk: await this.#diskNow(),
    }
  }

  async #note(): Promise<void> {
    this.#counts = [...this.#counts, await this.#countsNow()].slice(-RATED - 1)
    const at = this.#parts.clock.monotonic()
    const last = this.#disk.at(-1)
    if (last && at - last.at < DISK_EVERY_MS) return
    const space = await this.#space()
    if (space) this.#disk = [...this.#disk, { at, used: usedOf(space) }].slice(-DISK_KEPT)
  }

  async #countsNow(): Promise<MeteredCounts> {
    const at = this.#parts.clock.monotonic()
    const answers = await this.#valuesOf('market_http_request_seconds')
    const counted = answers.filter(({ metricName = '' }) => metricName.endsWith('_count'))
    const imported = counted.filter(
      ({ labels }) => labels['status'] === '201' && IMPORTS.test(labels['route'] ?? ''),
    )
    const lines = await this.#valuesOf('market_customer_lines_total')
    const taken = lines.filter(({ labels }) => labels['result'] === 'taken')
    return { at, requests: sumOf(counted), imports: sumOf([...imported, ...taken]) }
  }

  async #diskNow(): Promise<DiskFacts | null> {
    const space = await this.#space()
    if (!space) return null
    const [first] = this.#disk
    const watchedMs = first ? this.#parts.clock.monotonic() - first.at : 0
    const isKnown = first !== undefined && watchedMs >= LEAST_DISK_MS
    const bytesPerDay = isKnown
      ? Math.round(((usedOf(space) - first.used) / watchedMs) * DAY_MS)
      : null
    const daysLeft =
      bytesPerDay !== null && bytesPerDay > 0 ? Math.floor(space.freeBytes / bytesPerDay) : null
    return { ...space, bytesPerDay, daysLeft }
  }

  /** Null: this process has no store on its disk. */
  async #space(): Promise<Pick<DiskFacts, 'freeBytes' | 'sizeBytes' | 'storeBytes'> | null> {
    const names = ['market_disk_free_bytes', 'market_disk_size_bytes', 'market_store_bytes']
    const [free, size, store] = await Promise.all(names.map((name) => this.#valuesOf(name)))
    if (!free?.[0] || !size?.[0] || !store?.[0]) return null
    return { freeBytes: free[0].value, sizeBytes: size[0].value, storeBytes: store[0].value }
  }

  async #valuesOf(name: string): Promise<MetricValue[]> {
    const metric = await this.#parts.registry.getSingleMetric(name)?.get()
    return (metric?.values ?? []) as MetricValue[]
  }
}

interface MetricValue {
  metricName?: string
  labels: Readonly<Record<string, string>>
  value: number
}

const usedOf = ({ freeBytes, sizeBytes }: Pick<DiskFacts, 'freeBytes' | 'sizeBytes'>): number =>
  sizeBytes - freeBytes

const sumOf = (values: readonly MetricValue[]): number =>
  values.reduce((sum, { value }) => sum + value, 0)
