import { writeFileSync } from 'node:fs'
import { guardOf } from './guards.ts'
import { lineAt } from './lines.ts'
import { commitText, loadNow, machineText } from './machine.ts'
import type { MeasuredLine } from './results.ts'

// One line in a process of its own, so that none measures the memory of another. Arguments: its
// file, the file for its results, the number of rounds, and --quick or --full.

const [file = '', target = '', rounds = '', ...flags] = process.argv.slice(2)
const line = await lineAt(file)
const { number, name, work, peer } = line
const isQuick = flags.includes('--quick')
const before = { load: loadNow(), ms: performance.now() }
const compared = await line.run({
  isQuick,
  isFull: flags.includes('--full'),
  rounds: Number(rounds),
  progress: (what) => process.stderr.write(`line ${number}, ${name}: ${what}\n`),
})
const comparisons = compared.map((comparison) => ({
  ...comparison,
  guard: isQuick ? null : guardOf(number, comparison),
}))
const measured: MeasuredLine = {
  number,
  name,
  work,
  peer,
  commit: commitText(),
  at: new Date().toISOString(),
  seconds: (performance.now() - before.ms) / 1_000,
  load: { began: before.load, ended: loadNow() },
  machine: machineText(),
  comparisons,
}
writeFileSync(target, JSON.stringify(measured))
// A peer's client may keep sockets or threads open that would keep the process alive.
process.exit()
