import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OperatorError } from '../../ports/base-errors.ts'
import { atSignals } from './at-signals.ts'

/** The folder for temporary files cannot be written. */
class TemporaryFolderError extends OperatorError {
  override name = 'TemporaryFolderError'
}

/** Makes a new folder, to be deleted by the caller. The error names what to set. */
export function makeTemporaryFolder(prefix: string): string {
  const parent = tmpdir()
  try {
    return mkdtempSync(join(parent, prefix))
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error)
    throw new TemporaryFolderError(
      `no temporary files can be written to ${parent}: ${what}: set TMPDIR to a folder that can be written`,
      { cause: error },
    )
  }
}

/**
 * Deletes the folder before a signal ends the process, unless the command waits for that signal itself.
 * Returns the function that ends this.
 */
export const deleteAtSignals = (folder: string): (() => void) =>
  atSignals(() => rmSync(folder, { recursive: true, force: true }))
