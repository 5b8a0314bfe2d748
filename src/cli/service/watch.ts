import type { Command } from 'commander'
import { type FollowedState, followOrder } from '../../operator/service/follow-order.ts'
import { printJson, printLine, untilInterrupted } from '../terminal/output.ts'
import { STATE_WORDS } from '../terminal/style.ts'
import { SERVICE_OPTION, serviceAt } from './service-option.ts'

export const addWatch = (program: Command): Command =>
  program
    .command('watch <order-id>')
    .description('follow an order over the API until it is sold, spent, rejected or withdrawn')
    .option(...SERVICE_OPTION)
    .option('--json', 'print one JSON line per state')
    .addHelpText(
      'after',
      '\nA service that goes away is waited for. Code 0: a final state; a reorganisation may still take a sale back.',
    )
    .action(async (orderId: string, { service, json }: { service?: string; json?: true }) => {
      const at = serviceAt(service)
      const isFinal = await untilInterrupted(async (signal) => {
        for await (const found of followOrder(at, orderId, { signal, onLost })) {
          if (json) await printJson(found)
          else await printLine(lineOf(found), STATE_WORDS)
        }
        return !signal.aborted
      })
      process.exitCode = isFinal ? 0 : 1
    })

const onLost = (why: string): void => void process.stderr.write(`market: ${why}; trying again\n`)

const lineOf = ({ at, state, reason }: FollowedState): string =>
  `${at}  ${state.padEnd(18)}  ${reason}`.trimEnd()
