import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe } from 'vitest'

const FOLDER = path.resolve(import.meta.dirname, '../../../shared/vectors')
const present = existsSync(FOLDER)

// Public data that the tests read but the project does not ship.
if (!present && process.env['CI'] === 'true') throw new Error(`vectors are missing: ${FOLDER}`)
if (!present) console.warn(`skipped: what is tested against the vectors of ${FOLDER}`)

/** The text of a vector file: for use inside the tests of `describeVectors`. */
export const vectorText = (name: string): string => readFileSync(path.join(FOLDER, name), 'utf8')

/** A JSON vector, not yet parsed by a schema. */
export const vector = (name: string): unknown => JSON.parse(vectorText(name))

/** A suite over vectors; where they are missing it is skipped, in CI that is a failure. */
export const describeVectors = describe.runIf(present)
