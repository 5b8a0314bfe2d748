import { readdirSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Line } from './line.ts'

const FOLDER = new URL('../lines/', import.meta.url)
/** `05-signatures.ts`: the number in the table, and the name. */
const FILE = /^(\d\d)-([a-z-]+)\.ts$/

export interface LineFile {
  path: string
  number: number
  name: string
}

/** One file each, in the order of the table. */
export function lineFiles(): LineFile[] {
  return readdirSync(FOLDER)
    .sort()
    .flatMap((file) => {
      const [, number, name] = FILE.exec(file) ?? []
      if (number === undefined || name === undefined) return []
      return [{ path: fileURLToPath(new URL(file, FOLDER)), number: Number(number), name }]
    })
}

/** Such a file exports its line as `line`. */
export async function lineAt(path: string): Promise<Line> {
  const { line } = (await import(pathToFileURL(path).href)) as { line: Line }
  return line
}
