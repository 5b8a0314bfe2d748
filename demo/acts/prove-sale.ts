import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { DisputeBundle } from '../../src/schemas/dispute/bundle.ts'
import { fields, textOf } from '../readable.ts'
import { type Stage, UnexpectedError } from '../stage.ts'
import type { Listed } from './list-inscription.ts'

const COMMAND = path.resolve(import.meta.dirname, '../../src/cli/main.ts')
/** Of what is proved, the facts that tell most. */
const TELLING = /^(?:proved|failed|sound|not sound)/

/** Everything that proves a sale, in one file, which anybody can check by itself. */
export async function proveSale(stage: Stage, { id }: Listed): Promise<void> {
  stage.step('Who doubts the sale takes its bundle: one file with all that proves it.')
  // Until the history has the last change of the order, there is no bundle.
  const bundle = await stage.becomes(`orders/${id}/bundle`, {
    status: 200,
    shape: DisputeBundle,
    is: { orderId: id, 'order.state': 'SETTLED' },
    shows: (proving) => [
      ...fields('format', 'order.state')(proving),
      ['changes', proving.changes.length.toString()],
      ...fields('proofs.spend.block.hash', 'proofs.spend.proof', 'sha256')(proving),
    ],
  })

  stage.step('A judge checks the file: no service, no node, no network, no configuration.')
  const findings = await verify(JSON.stringify(bundle))
  stage.deed('judge', [
    ['runs', 'market verify-bundle bundle.json'],
    ['reads', textOf(findings.filter((line) => TELLING.test(line)))],
  ])
}

/** What the command prints, run as anybody would: in a process that knows nothing but the file. */
async function verify(bundle: string): Promise<string[]> {
  const directory = await mkdtemp(path.join(tmpdir(), 'market-bundle-'))
  try {
    const file = path.join(directory, 'bundle.json')
    await writeFile(file, bundle)
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--import', 'tsx', COMMAND, 'verify-bundle', file],
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
