import type { Command } from 'commander'
import type { ServiceAddress } from '../../operator/service/ask-service.ts'
import type { ImportInput } from '../../operator/service/import-input.ts'
import type { ImportCounts } from '../../operator/service/import-lines.ts'
import { readApiKey } from '../terminal/environment.ts'
import { printJson, printLine, untilInterrupted } from '../terminal/output.ts'
import { openProgress } from '../terminal/progress.ts'
import { SERVICE_OPTION, serviceAt } from './service-option.ts'

interface ImportArguments {
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
    .option(...SERVICE_OPTION)
    .option(
      '--answers <file>',
      'where the answers go (default: FILE.answers; of - or a pipe: import.answers)',
    )
    .option('--json', 'print as JSON')
    .addHelpText(
      'after',
      '\nAPI_KEY, or the file that API_KEY_FILE names, has the key of a customer. Lines that have an\nanswer in the file of answers are not sent again: run the same command to continue.',
    )
    .action(async (file: string, { service, answers, json }: ImportArguments) => {
      const { inputAt } = await import('../../operator/service/import-input.ts')
      const input = await inputAt(file)
      const path = answers ?? `${input.isFile ? file : 'import'}.answers`
      const at = { ...serviceAt(service), token: readApiKey() }
      const counts = await imported(input, path, at)
      if (json) await printJson({ ...counts, answers: path })
      else await printLine(summaryOf(counts, path))
      if (counts.refusedBefore + counts.refused > 0 || !counts.isWhole) process.exitCode = 1
    })
}

/** What this run did, and what the runs before it did. */
interface RunCounts extends ImportCounts {
  before: number
  refusedBefore: number
}

async function imported(
  input: ImportInput,
  path: string,
  service: ServiceAddress,
): Promise<RunCounts> {
  const { importLines } = await import('../../operator/service/import-lines.ts')
  const { appendAnswers, keptAnswers, unanswered } = await import(
    '../../operator/service/kept-answers.ts'
  )
  const { linesFrom } = await import('../../operator/service/lines.ts')
  const kept = await keptAnswers(path)
  const progress = openProgress('import')
  return await untilInterrupted(async (signal) => {
    async function* lines(until: AbortSignal) {
      yield* linesFrom(await input.open(until))
    }
    // What can be read only once is not counted before.
    const all = input.isFile ? await countOf(lines(signal), signal) : null
    const show = (done: number) => progress.show({ step: 'lines', done, all })
    show(kept.lines)
    const counts = await importLines({
      service,
      lines: (until) => unanswered(kept, lines(until)),
      first: kept.lines + 1,
      write: (answers) => appendAnswers(path, answers),
      onProgress: show,
      onWait: progress.say,
      signal,
    })
    return { before: kept.lines, refusedBefore: kept.refused, ...counts }
  }).finally(progress.end)
}

function summaryOf(
  { before, refusedBefore, taken, refused, isWhole }: RunCounts,
  path: string,
): string {
  const earlier =
    before === 0 ? '' : `${before} lines were answered before, ${refusedBefore} of them refused; `
  const rest = isWhole ? '' : '; interrupted: run it again to continue'
  return `${earlier}${taken} taken, ${refused} refused, answers in ${path}${rest}`
}

/** Null: the signal aborted before their end. */
async function countOf(lines: AsyncIterable<unknown>, signal: AbortSignal): Promise<number | null> {
  let count = 0
  try {
    for await (const _line of lines) count += 1
    return count
  } catch (error) {
    if (signal.aborted) return null
    throw error
  }
}
