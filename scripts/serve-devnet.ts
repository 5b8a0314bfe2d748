import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openExampleRun } from '../test/support/market/example-run.ts'

// Serves the devnet of `npm start`, and runs a program with its origin as the last argument:
// program, its arguments.

const [program = '', ...args] = process.argv.slice(2)
const run = await openExampleRun()
const running = spawn(program, [...args, run.address], { stdio: 'inherit' })
const [status] = await once(running, 'exit')
await run.end()
process.exit(typeof status === 'number' ? status : 1)
