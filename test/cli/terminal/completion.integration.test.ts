import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { STATISTIC_NAMES } from '../../../src/domain/statistics/statistics.ts'
import { type Bundle, bundleService } from '../../support/bundle.ts'
import { temporaryDirectory } from '../../support/embedded.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const

let bundle: Bundle
let folder: string
let drop: () => void
beforeAll(async () => {
  const { path, drop: remove } = temporaryDirectory()
  folder = path
  drop = remove
  bundle = await bundleService()
  const run = `exec '${process.execPath}' '${bundle.market}' "$@"`
  writeFileSync(join(folder, 'market'), `#!/bin/sh\n${run}\n`)
  chmodSync(join(folder, 'market'), 0o755)
  for (const shell of SHELLS)
    writeFileSync(join(folder, shell), execFileSync(...runOf('completion', shell)))
})
afterAll(() => {
  drop()
  bundle.drop()
})

const runOf = (...args: string[]): [string, string[]] => [join(folder, 'market'), args]

type Shell = (typeof SHELLS)[number]

/** Sources the script twice, and prints the words that the shell would offer for the line `$1`. */
const PROGRAMS: Record<Shell, string> = {
  // Without the package bash-completion.
  bash: `
    set -u
    source ./bash; source ./bash
    COMP_LINE=$1 COMP_POINT=\${#1}
    __market_complete
    printf '%s\\n' "\${COMPREPLY[@]-}"`,
  // Its completion system gives the script the words of the line, and takes what it describes.
  zsh: `
    compdef() { registered="$*" }
    _describe() { print -rl -- \${completions%%:*} }
    source ./zsh; source ./zsh
    [[ $registered == '_market market' ]] || exit 3
    words=("\${(z)1}"); [[ $1 == *' ' ]] && words+=('')
    CURRENT=\${#words}
    _market`,
  fish: `
    source ./fish; source ./fish
    complete -C $argv[1]`,
}

const OPTIONS: Record<Shell, (program: string, line: string) => string[]> = {
  bash: (program, line) => ['--norc', '--noprofile', '-c', program, 'bash', line],
  zsh: (program, line) => ['-f', '-c', program, 'zsh', line],
  fish: (program, line) => ['--no-config', '-c', program, line],
}

const isInstalled = (shell: Shell): boolean => spawnSync(shell, ['-c', 'true']).status === 0

/** What a shell would put in the place of the last word. */
function completed(shell: Shell, line: string): string[] {
  const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}` }
  const options = OPTIONS[shell](PROGRAMS[shell], line)
  const run = spawnSync(shell, options, { cwd: folder, env, encoding: 'utf8' })
  expect([run.status, run.stderr]).toEqual([0, ''])
  const words = run.stdout.split('\n').map((row) => row.split('\t')[0] ?? '')
  return words.filter((word) => word !== '').sort()
}

describe.each(SHELLS)('%s', (shell) => {
  test.runIf(isInstalled(shell)).each<[line: string, words: readonly string[]]>([
    ['market query ', STATISTIC_NAMES.toSorted()],
    // fish puts in the whole word, the others what is after the sign.
    ['market query sales --format=p', [shell === 'fish' ? '--format=parquet' : 'parquet']],
    ['market tail --topic orders.l', ['orders.lifecycle']],
    ['market query $(touch ran) --form', ['--format']],
  ])('completes %s', (line, words) => {
    expect(completed(shell, line)).toEqual(words)
    expect(existsSync(join(folder, 'ran'))).toBe(false)
  })
})

// Where a shell is not installed, its script is read.
test.each<[shell: Shell, calls: readonly string[]]>([
  ['bash', ['complete -- "$', 'complete -o default -F __market_complete market\n']],
  ['zsh', ['compdef _market market\n', '(@q)args_to_quote', 'requestComp="market complete -- $']],
  ['fish', ['(market complete -- $args[2..-1] "$lastArg"', "complete -c market -n 'not __market_"]],
])('the script for %s is registered, and quotes what it asks with', (shell, parts) => {
  const script = readFileSync(join(folder, shell), 'utf8')
  for (const part of parts) expect(script).toContain(part)
})
