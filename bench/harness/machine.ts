import { execFileSync } from 'node:child_process'
import { cpus, loadavg, release, totalmem, type } from 'node:os'

const GIB = 2 ** 30
/** What the commands write is no change of the code. */
const WRITTEN = [':!bench/results.json', ':!bench/rehearsal/figures.json']

/** What figures depend on: processor, memory, system, runtime. */
export function machineText(): string {
  const [first] = cpus()
  return `${cpus().length} cores (${first?.model.trim()}), ${Math.round(totalmem() / GIB)} GiB, ${type()} ${release()}, Node ${process.version}`
}

/** With a + where files differ from it; empty outside a repository. */
export function commitText(): string {
  const git = (...args: string[]) =>
    execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  try {
    const changed = git('status', '--porcelain', '--', 'src', 'bench', ...WRITTEN)
    return `${git('rev-parse', '--short', 'HEAD')}${changed ? '+' : ''}`
  } catch {
    return ''
  }
}

/** Of the last minute. */
export const loadNow = (): number => loadavg()[0] ?? Number.NaN
