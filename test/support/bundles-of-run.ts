import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { BUNDLES } from './bundle.ts'

let folder: string

/** Before a run: a folder in which its processes share what they bundle. */
export function setup(): void {
  folder = mkdtempSync(path.join(tmpdir(), 'market-bundles-'))
  process.env[BUNDLES] = folder
}

export function teardown(): void {
  rmSync(folder, { recursive: true, force: true })
}
