import { spawn } from 'node:child_process'
import { once } from 'node:events'
import pino from 'pino'
import { createServer, DEFAULT_HTTP_SETTINGS } from '../src/http/app.ts'
import { circleRoutes } from '../src/http/circles/routes.ts'
import { setHeaders } from '../src/http/plugins/headers.ts'
import { CircleChain } from '../test/support/folds/circle-chain.ts'
import { follow, openIndex } from '../test/support/folds/circle-runs.ts'
import { MemoryCircleStore } from '../test/support/folds/memory-circle-store.ts'
import { TEST_CURSORS } from '../test/support/http/test-cursors.ts'

// Serves generated graphs of circles, the first without a block, and runs a program with their
// origins as its last arguments: count, program, its arguments.

const [count = '0', program = '', ...args] = process.argv.slice(2)
const BLOCKS = 12

async function serve(seed: number): Promise<string> {
  const chain = new CircleChain(seed)
  for (let left = seed === 0 ? 0 : BLOCKS; left > 0; left--) chain.mine()
  const circles = await openIndex(new MemoryCircleStore(), chain)
  await follow(circles, chain, () => 4)
  const app = createServer({ logger: pino({ level: 'silent' }), settings: DEFAULT_HTTP_SETTINGS })
  setHeaders(app)
  circleRoutes(app, { circles, cursors: TEST_CURSORS })
  return app.listen({ host: '127.0.0.1', port: 0 })
}

const origins = await Promise.all(Array.from({ length: Number(count) }, (_, seed) => serve(seed)))
const running = spawn(program, [...args, ...origins], { stdio: 'inherit' })
const [status] = await once(running, 'exit')
process.exit(typeof status === 'number' ? status : 1)
