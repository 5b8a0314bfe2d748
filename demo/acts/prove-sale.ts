import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { ProtocolContract } from '../../src/schemas/api/protocol.ts'
import { DisputeBundle } from '../../src/schemas/dispute/bundle.ts'
import { fields, textOf } from '../stage/readable.ts'
import { type Stage, UnexpectedError } from '../stage/stage.ts'
import type { World } from '../stage/world.ts'
import type { Listed } from './list-inscription.ts'

const COMMAND = path.resolve(import.meta.dirname, '../../src/cli/main.ts')
const MAX_TRIES = 10
/** The most telling of the facts, and the result. */
const TELLING = /^(?:proved|failed|sound|consistent|not sound)/

/** Everything that proves a sale, in one file that anyone can check. */
export async function proveSale(stage: Stage, world: World, { id }: Listed): Promise<void> {
  stage.step('Who doubts the sale takes its bundle: one file with all that proves it.')
  const asked = `orders/${id}/bundle`
  const file = await download(`${world.market.address}/api/market/${asked}`)
  await stage.becomes(asked, {
    status: 200,
    shape: DisputeBundle,
    is: { orderId: id, 'order.state': 'SETTLED' },
    shows: (bundle) => [
      ...fields('format', 'order.state')(bundle),
      ['changes', bundle.changes.length.toString()],
      ...fields('proofs.spend.block.hash', 'proofs.spend.proof', 'sha256')(bundle),
    ],
  })

  stage.step('A judge who knows the key of the service checks the file: no node, no network.')
  const { safety } = await stage.get('protocol', {
    status: 200,
    shape: ProtocolContract,
    shows: fields('safety.bundleKey'),
  })
  const findings = await verify(file, safety.bundleKey ?? '')
  stage.deed('judge', [
    ['runs', 'market verify-bundle bundle.json --key KEY'],
    ['reads', textOf(findings.filter((line) => TELLING.test(line)))],
  ])
}

/**
 * The bytes of the file, which its hash is of. Until the history has the last change of the order, the
 * answer is 503, with the time after which to ask again.
 */
async function download(url: string): Promise<string> {
  for (let tries = 0; ; tries += 1) {
    const answer = await fetch(url)
    const afterSeconds = Number(answer.headers.get('retry-after'))
    if (answer.ok) return await answer.text()
    if (answer.status !== 503 || tries === MAX_TRIES)
      throw new UnexpectedError(`the bundle was refused: ${await answer.text()}`)
    await delay(afterSeconds * 1_000)
  }
}

/** The command's output, run as anyone would: in a process that has only the file. */
async function verify(bundle: string, key: string): Promise<string[]> {
  const directory = await mkdtemp(path.join(tmpdir(), 'market-bundle-'))
  try {
    const file = path.join(directory, 'bundle.json')
    await writeFile(file, bundle)
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--import', 'tsx', COMMAND, 'verify-bundle', file, '--key', key],
      { env: {} },
    )
    return stdout.trimEnd().split('\n')
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new UnexpectedError(`the bundle does not prove the sale: ${why}`)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
