import { statSync } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import type { Pieces } from '../operator/circle-snapshots.ts'
import { addPlan } from './plan.ts'
import { readConfig } from './terminal/environment.ts'
import { requireNew, writeNew } from './terminal/new-file.ts'
import { printJson, printLine } from './terminal/output.ts'

/** Snapshots of the circles: taken, checked and compared; and the cost of their start. */
export function addCircles(program: Command): void {
  const circles = program.command('circles').description('snapshots of the circle graph')
  circles
    .command('snapshot [url]')
    .description(
      'write a snapshot in canonical form, from the service at a URL or from that of DATA_DIR',
    )
    .option('--out <file>', 'write it to this new file (default: stdout)')
    .option(
      '--json',
      'print the file and its bytes as JSON; without --out the snapshot, which is JSON',
    )
    .action(async (url: string | undefined, { out, json }: { out?: string; json?: true }) => {
      if (out !== undefined) requireNew(out)
      const { fetchedSnapshot, keptSnapshot } = await snapshots()
      if (url === undefined) await keptSnapshot(readConfig(), (pieces) => writeOut(pieces, out))
      else await writeOut([await fetchedSnapshot(url)], out)
      if (json && out !== undefined) await printJson({ file: out, bytes: statSync(out).size })
    })
  circles
    .command('verify <file>')
    .description('check that a file is a canonical snapshot; print its hash, or the first fault')
    .option('--json', 'print as JSON')
    .action(async (file: string, { json }: { json?: true }) => {
      const { verifyFile } = await snapshots()
      const verification = await verifyFile(file)
      if (json) await printJson(verification)
      else if (verification.ok) await printLine(verification.stateHash)
      else await printLine(placed(verification.fault))
      process.exitCode = verification.ok ? 0 : 1
    })
  circles
    .command('diff <a> <b>')
    .description('print the differences between two snapshots, one per line')
    .option('--json', 'print one JSON line per difference')
    .action(async (a: string, b: string, { json }: { json?: true }) => {
      const { diffFiles } = await snapshots()
      process.exitCode = 0
      for (const difference of await diffFiles(a, b)) {
        const { pointer, ...values } = difference
        if (json) await printJson(difference)
        else await printLine(`${pointer}: ${values.a ?? '(absent)'} -> ${values.b ?? '(absent)'}`)
        process.exitCode = 1
      }
    })
  addPlan(circles, 'circles')
}

const snapshots = () => import('../operator/circle-snapshots.ts')

const placed = ({ pointer, message }: { pointer: string; message: string }): string =>
  `${pointer === '' ? 'the whole file' : pointer}: ${message}`

async function writeOut(pieces: Pieces, out: string | undefined): Promise<void> {
  if (out !== undefined) return await writeNew(out, pieces)
  await pipeline(Readable.from(pieces, { objectMode: false }), process.stdout, { end: false })
}
