import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryDirectory } from '../../support/embedded.ts'
import { ROOT } from '../../support/tree.ts'

const SHOW_CURSOR = '\u001b[?25h'
const WRAP_LINES = '\u001b[?7h'
const CUT_LINES = '\u001b[?7l'
const KEEP_PLACE = '\u001b7'
const TO_PLACE = '\u001b8'

/** What a terminal gets of a program with a bar. */
function shownBy(lines: string): string {
  const { path, drop } = temporaryDirectory()
  const program = join(path, 'program.mts')
  writeFileSync(
    program,
    `import { openProgress } from ${JSON.stringify(join(ROOT, 'src/cli/terminal/progress.ts'))}
    const progress = openProgress('audit')
    progress.show({ step: 'records', done: 1, all: 2 })
    ${lines}`,
  )
  const command = `${process.execPath} --import tsx ${program}`
  const shown = execFileSync('script', ['-qc', command, '/dev/null'], { cwd: ROOT }).toString()
  drop()
  return shown
}

describe.runIf(process.platform === 'linux')('on a terminal', () => {
  test('a signal leaves it as it was', () => {
    const shown = shownBy(`setInterval(() => {}, 1_000)
      process.kill(process.pid, 'SIGINT')`)
    expect(shown).toContain('\u001b[?25l')
    for (const mode of [SHOW_CURSOR, WRAP_LINES]) expect(shown).toContain(mode)
  })

  test('what is said beside a bar is whole, and the bar goes on and ends below it', () => {
    const said = `${'away '.repeat(30)}end`
    const shown = shownBy(`progress.say(${JSON.stringify(said)})
      progress.end()`)
    const line = `${WRAP_LINES}market: ${said}\r\n${CUT_LINES}${KEEP_PLACE}`
    expect(shown).toContain(line)
    const after = shown.slice(shown.indexOf(line) + line.length)
    const [bar = '', end] = after.split(TO_PLACE)
    expect(bar).toContain('audit records [')
    expect(bar).not.toContain('\n')
    expect(end).toContain('\n')
  })
})
