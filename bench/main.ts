import { spawnSync } from 'node:child_process'

// Each benchmark in a process of its own, so that none measures the memory of another.
const BENCHES = ['pages', 'orders']

const wanted = process.argv.slice(2)
for (const name of wanted.length > 0 ? wanted : BENCHES) {
  const path = new URL(`./${name}.ts`, import.meta.url).pathname
  const { status } = spawnSync(process.execPath, ['--import', 'tsx', path], { stdio: 'inherit' })
  if (status !== 0) process.exitCode = 1
}
