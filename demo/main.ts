import { inspect } from 'node:util'
import { HealthReport } from '../src/schemas/api/health.ts'
import { exitOnSignals, ownTemporaryFolder } from '../test/support/processes/exit-on-signals.ts'
import { carelessPurchases } from './acts/careless-purchases.ts'
import { circles } from './acts/circles.ts'
import { objects } from './acts/objects.ts'
import { reorg } from './acts/reorg.ts'
import { replacement } from './acts/replacement.ts'
import { sale } from './acts/sale.ts'
import { withdrawal } from './acts/withdrawal.ts'
import { type Hook, openHook } from './stage/hook.ts'
import { fields } from './stage/readable.ts'
import { Stage, UnexpectedError } from './stage/stage.ts'
import { printEnd, printTitle } from './stage/terminal.ts'
import type { World } from './stage/world.ts'

const USAGE = 'usage: npm run demo [-- --real], or npm run stack'
const ACTS = [sale, withdrawal, replacement, reorg, carelessPurchases, objects, circles]

/** Each world loads what it needs, and no more. */
async function openWorld(args: readonly string[], hook: Hook): Promise<World> {
  if (args.length === 0) return (await import('./worlds/devnet.ts')).openDevnetWorld(hook)
  if (args.length === 1 && args[0] === '--real') {
    return (await import('./worlds/real.ts')).openRealWorld(hook)
  }
  if (args.length === 1 && args[0] === '--stack') {
    return (await import('./worlds/stack.ts')).openStackWorld(hook)
  }
  throw new UnexpectedError(USAGE)
}

async function play(world: World): Promise<void> {
  printTitle(`market: a life of listings on ${world.title}`, world.parts)
  const stage = new Stage(world.market)
  stage.act(
    'The service',
    'It keeps sale listings verified against a full node and an asset index. It never signs, broadcasts or spends.',
  )
  stage.step('It says what it is ready for.')
  await stage.becomes('health', {
    status: 200,
    shape: HealthReport,
    is: {
      ok: true,
      readyForBitcoinListings: true,
      signsOrBroadcasts: false,
      spendsFunds: false,
    },
    shows: fields(
      'network',
      'status',
      'readyForBitcoinListings',
      'signsOrBroadcasts',
      'spendsFunds',
      'listingReadiness.coreHeight',
      'listingReadiness.assetIndexHeight',
    ),
  })
  for (const act of ACTS) await act(stage, world)
  printEnd([
    `${stage.acts} acts, ${stage.requests} requests, every answer as it had to be.`,
    'Next: "npm start", then http://127.0.0.1:8080 in a browser',
  ])
}

ownTemporaryFolder()
let world: World | undefined
// Ctrl-C also ends the service and its chain; what is not open yet dies with this process.
exitOnSignals(async () => await world?.close())
const hook = await openHook()

try {
  world = await openWorld(process.argv.slice(2), hook)
  await play(world).finally(() => world?.close())
} catch (error) {
  process.stderr.write(
    `\ndemo: ${error instanceof UnexpectedError ? error.message : inspect(error)}\n`,
  )
  process.exitCode = 1
} finally {
  await hook.close()
}
// A part that did not start whole would keep this process.
if (process.exitCode === 1) process.exit()
