import { createReadStream } from 'node:fs'
import type { Command } from 'commander'
import type { ImportCounts } from '../../operator/service/import-lines.ts'
import { localAddress } from '../../schemas/config/config.ts'
import { readApiKey, readConfig } from '../terminal/environment.ts'
import { printJson, printLine, untilInterrupted } from '../terminal/output.ts'
import { openProgress } from '../terminal/progress.ts'

interface Given {
  service?: string
  answers?: string
  json?: true
}

/** Imports of a customer, as many as a file has. */
export function addImport(program: Command): void {
  program
    .command('import <file>')
    .description(
      'import signed orders: a file, or - for stdin, with the body of an import in each line',
    )
    .option('--service <url>', 'address of the service (default: that of the configuration)')
    .option(
      '--answers <file>',
      'where the answers go (default: FILE.answers; of -: import.answers)',
    )
    .option('--json', 'print as JSON')
    .addHelpText(
      'after',
      '\nAPI_KEY, or the file that API_KEY_FILE names, has the key of a customer. Lines that have an\nanswer in the file of answers are not sent again: run the same command to continue.',
    )
    .action(async (file: string, { service, answers, json }: Given) => {
      const path = answers ?? `${file === '-' ? 'import' : file}.answers`
      const address = service?.replace(/\/+$/, '') ?? localAddress(readConfig())
      const { before, ...counts } = await imported(file, path, { address, token: readApiKey() })
      if (json) await printJson({ before, ...counts, answers: path })
      else await printLine(summaryOf(before, counts, path))
      if (counts.refused > 0 || !counts.isWhole) process.exitCode = 1
    })
}

async function imported(file: string, path: string, service: { address: string; token: string }) {
  const { importLines } = await import('../../operator/service/import-lines.ts')
  const { answeredLines, appendAnswers } = await import('../../operator/service/kept-answers.ts')
  const { linesFrom } = await import('../../operator/service/lines.ts')
  const before = await answeredLines(path)
  const openInput = () => (file === '-' ? process.stdin : createReadStream(file))
  const all = file === '-' ? null : await countOf(linesFrom(openInput()))
  const progress = openProgress('import')
  const show = (done: number) => progress.show({ step: 'lines', done, all })
  show(before)
  return await untilInterrupted(async (signal) => {
    const counts = await importLines({
      service,
      lines: after(before, linesFrom(openInput())),
      first: before + 1,
      write: (answers) => appendAnswers(path, answers),
      onProgress: show,
      signal,
    })
    return { before, ...counts, isWhole: !signal.aborted }
  }).finally(progress.end)
}

function summaryOf(
  before: number,
  { taken, refused, isWhole }: ImportCounts & { isWhole: boolean },
  path: string,
): string {
  const earlier = before === 0 ? '' : `${before} lines were answered before; `
  const rest = isWhole ? '' : '; interrupted: run it again to continue'
  return `${earlier}${taken} taken, ${refused} refused, answers in ${path}${rest}`
}

async function countOf(lines: AsyncIterable<string>): Promise<number> {
  let count = 0
  for await (const _line of lines) count += 1
  return count
}

async function* after(count: number, lines: AsyncIterable<string>): AsyncGenerator<string> {
  let number = 0
  for await (const line of lines) {
    number += 1
    if (number > count) yield line
  }
}
