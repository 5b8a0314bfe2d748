import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../support/embedded.ts'
import { ROOT } from '../../support/tree.ts'

const SHOW_CURSOR = '\u001b[?25h'
const WRAP_LINES = '\u001b[?7h'

test.runIf(process.platform === 'linux')('a signal leaves the terminal as it was', () => {
  const { path, drop } = temporaryDirectory()
  const program = join(path, 'program.mts')
  writeFileSync(
    program,
    `import { openProgress } from ${JSON.stringify(join(ROOT, 'src/cli/terminal/progress.ts'))}
    openProgress('audit').show({ step: 'records', done: 1, all: 2 })
    setInterval(() => {}, 1_000)
    process.kill(process.pid, 'SIGINT')`,
  )
  const command = `${process.execPath} --import tsx ${program}`
  const shown = execFileSync('script', ['-qc', command, '/dev/null'], { cwd: ROOT }).toString()
  expect(shown).toContain('\u001b[?25l')
  for (const mode of [SHOW_CURSOR, WRAP_LINES]) expect(shown).toContain(mode)
  drop()
})
