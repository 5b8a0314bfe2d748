import { z } from 'zod'
import type { SqlEngine } from './engine/sql-engine.ts'
import { ROW_FORM } from './history-rows.ts'
import { NOTED } from './queries.ts'

/** The last change of a partition that is stored, and the offset after it. */
export interface Reached {
  position: number
  key: readonly [orderId: string, seq: number]
}

/** The result of a scan of all rows, by partition. */
export interface Scan {
  ends: ReadonlyMap<number, Reached>
  /** The first row of a form below `ROW_FORM`. */
  outdated: ReadonlyMap<number, number>
}

/** Where a writer resumes, by partition. */
export const resumptionOf = ({ ends, outdated }: Scan): ReadonlyMap<number, number> =>
  new Map(
    [...ends].map(([partition, { position }]) => [
      partition,
      Math.min(position, outdated.get(partition) ?? position),
    ]),
  )

const NotedRow = z.object({
  log_partition: z.coerce.number(),
  version: z.coerce.number(),
  position: z.coerce.number(),
  last_order: z.string(),
  last_seq: z.coerce.number(),
  form: z.coerce.number(),
})

/**
 * Checks that a position must survive before it is noted: a server that loses power loses its last
 * seconds, which are then written again.
 */
const CHECKS = 6

/**
 * Positions that a writer has passed, as it noted them in the history itself: with one that is still
 * there, the next start need not read the history to find where it ends (ADR 60).
 */
export class NotedPositions {
  #version = 0
  #passed: ReadonlyMap<number, Reached> = new Map()
  #noted: ReadonlyMap<number, Reached> = new Map()
  #checks = 0

  /** Empty if nothing is noted, or only of rows of another form. */
  async read(engine: SqlEngine): Promise<ReadonlyMap<number, Reached>> {
    const rows = (await engine.select(NOTED, {})).map((row) => NotedRow.parse(row))
    this.#version = rows.reduce((most, { version }) => Math.max(most, version), this.#version)
    this.#noted = new Map(
      rows
        .filter(({ position, form }) => position > 0 && form === ROW_FORM)
        .map(({ log_partition, position, last_order, last_seq }) => [
          log_partition,
          { position, key: [last_order, last_seq] as const },
        ]),
    )
    return this.#noted
  }

  /** The rows were found to be still there; `reached` is where the writer is. */
  async checked(engine: SqlEngine, reached: ReadonlyMap<number, Reached>): Promise<void> {
    if (this.#checks === 0) this.#passed = new Map(reached)
    this.#checks += 1
    if (this.#checks <= CHECKS) return
    this.#checks = 0
    const news = [...this.#passed].filter(
      ([partition, { position }]) => this.#noted.get(partition)?.position !== position,
    )
    if (news.length === 0) return
    await this.#insert(engine, news)
    this.#noted = new Map([...this.#noted, ...this.#passed])
  }

  /** Rows were lost: what was noted proves nothing. */
  async forget(engine: SqlEngine): Promise<void> {
    this.#checks = 0
    const none = { position: 0, key: ['', 0] as const }
    const noted = [...(await this.read(engine)).keys()]
    if (noted.length > 0)
      await this.#insert(
        engine,
        noted.map((partition) => [partition, none]),
      )
    this.#noted = new Map()
  }

  async #insert(engine: SqlEngine, notes: readonly (readonly [number, Reached])[]): Promise<void> {
    this.#version += 1
    const rows = notes.map(([log_partition, { position, key }]) => {
      const [last_order, last_seq] = key
      const version = this.#version
      return { log_partition, version, position, last_order, last_seq, form: ROW_FORM }
    })
    await engine.insert('position_rows', rows)
  }
}
