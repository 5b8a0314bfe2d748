import { spawnSync } from 'node:child_process'

// Each benchmark in a process of its own, so that none measures the memory of another.
const BENCHES = ['pages', 'actors', 'continuity', 'redis', 'orders', 'circles', 'pairing']

// Arguments: which ones, by name; `--quick` for a book of 10,000 orders instead of 100,000.
const QUICK_ORDERS = '10000'

const args = process.argv.slice(2)
const wanted = args.filter((arg) => !arg.startsWith('--'))
const quick = args.includes('--quick') ? { BENCH_QUICK: '1', BENCH_ORDERS: QUICK_ORDERS } : {}
for (const name of wanted.length > 0 ? wanted : BENCHES) {
  const path = new URL(`./${name}.ts`, import.meta.url).pathname
  const { status } = spawnSync(process.execPath, ['--import', 'tsx', path], {
    stdio: 'inherit',
    env: { ...process.env, ...quick },
  })
  if (status !== 0) process.exitCode = 1
}
