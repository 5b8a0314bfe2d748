import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'

/** One step of the schema: a file. An applied file is never edited: a change is a new file. */
export interface Migration {
  version: number
  /** The file's name. */
  name: string
  /** SHA-256 of the file, as `sha256sum` prints it. */
  checksum: string
  /**
   * The step that a release must know to use a schema with this one: its own, or an earlier one, which the
   * file names in its first line (`-- needs 0001`), if all that it does is to add what others do not miss.
   */
  needs: number
  statements: readonly string[]
}

const FOLDER = new URL('./migrations/', import.meta.url)
const FILE = /^(?<version>[0-9]{4})-[a-z-]+\.sql$/
const NEEDS = /^-- needs (?<step>[0-9]{4})$/m

/** The steps of the schema in order. A statement ends with `;` at the end of a line. */
export function readMigrations(folder: URL = FOLDER): Migration[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => {
      const version = FILE.exec(name)?.groups?.['version']
      if (version === undefined) throw new Error(`${name} is not a valid name of a migration`)
      const text = readFileSync(new URL(name, folder), 'utf8')
      const statements = text.split(/;\s*$/m).map((statement) => statement.trim())
      return {
        version: Number(version),
        name,
        checksum: createHash('sha256').update(text).digest('hex'),
        needs: Number(NEEDS.exec(text.slice(0, text.indexOf('\n')))?.groups?.['step'] ?? version),
        statements: statements.filter((statement) => statement !== ''),
      }
    })
}
