import { type Command, InvalidArgumentError, Option } from 'commander'
import type { TailOptions } from '../operator/log/tail.ts'
import { TOPICS, type Topic } from '../schemas/log.ts'
import { OrderIdInput, OutpointInput } from '../schemas/scalars.ts'
import { readConfig } from './terminal/environment.ts'
import { printJson, printLine, printLines, untilInterrupted } from './terminal/output.ts'

const ALL_TOPICS: readonly Topic[] = Object.values(TOPICS)

interface TailArguments extends Omit<TailOptions, 'topics' | 'json'> {
  topic?: Topic[]
  json?: true
}

export const addTail = (program: Command): Command =>
  program
    .command('tail')
    .description('follow the log, one line per record, until SIGINT')
    .addOption(
      new Option('--topic <topic...>', 'topics to follow (default: the lifecycle)').choices(
        ALL_TOPICS,
      ),
    )
    .option('--partition <n>', 'only this partition', wholeNumber)
    .option('--order <id>', 'only this order', orderId)
    .option('--outpoint <txid:vout>', 'only this output', outpoint)
    .option(
      '--from <where>',
      'where to start: "beginning", "end" or an offset',
      whereFrom,
      'end' as const,
    )
    .option('--limit <n>', 'stop after this many lines', lineCount)
    .option(
      '--no-follow',
      'print the records present now and stop; starts at the beginning by default',
    )
    .option('--json', 'print one JSON line per record, with its place')
    .action(async ({ topic, json, ...given }: TailArguments, command: Command) => {
      const { tail } = await import('../operator/log/tail.ts')
      const isGiven = command.getOptionValueSource('from') !== 'default'
      const from = given.follow || isGiven ? given.from : 'beginning'
      const topics = topic ?? [TOPICS.lifecycle]
      const options = { ...given, from, topics, json: json === true }
      await untilInterrupted((signal) => tail(readConfig(), options, printLine, signal))
    })

export function wholeNumber(text: string): number {
  if (/^[0-9]{1,15}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number.')
}

function lineCount(text: string): number {
  const count = wholeNumber(text)
  if (count === 0) throw new InvalidArgumentError('It must be at least 1.')
  return count
}

/** In either case, as the API reads it: no record has another. */
function orderId(text: string): string {
  const { data } = OrderIdInput.safeParse(text)
  if (data === undefined) throw new InvalidArgumentError('It must be 64 hex digits.')
  return data
}

function outpoint(text: string): string {
  const { data } = OutpointInput.safeParse(text)
  if (data === undefined)
    throw new InvalidArgumentError('It must be a txid of 64 hex digits, a colon and an index.')
  return data
}

function whereFrom(text: string): TailOptions['from'] {
  return text === 'beginning' || text === 'end' ? text : wholeNumber(text)
}

export const addLag = (program: Command): Command =>
  program
    .command('lag')
    .description('records not yet read by actors, views and history, per partition')
    .option('--json', 'print as JSON')
    .action(async ({ json }: { json?: true }) => {
      const { lag, lagTable } = await import('../operator/log/lag.ts')
      const lags = await lag(readConfig())
      await (json ? printJson(lags) : printLines(lagTable(lags)))
    })
