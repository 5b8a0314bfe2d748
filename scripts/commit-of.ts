import { execFileSync } from 'node:child_process'
import { dirname } from 'node:path'

/**
 * The commit that a clone is at, with `-dirty` if tracked files were changed. `unknown` without git, or in a
 * folder that is no clone; a clone around the folder does not count.
 */
export function commitOf(folder: string): string {
  try {
    return execFileSync('git', ['describe', '--always', '--abbrev=40', '--dirty', '--exclude=*'], {
      cwd: folder,
      env: { ...process.env, GIT_CEILING_DIRECTORIES: dirname(folder) },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return 'unknown'
  }
}
