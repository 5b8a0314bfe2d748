#!/usr/bin/env node
import { Command } from 'commander'
import { auditStore } from '../roles/audit/audit-store.ts'
import { sourcesOf } from '../roles/operator/open-kept.ts'
import { operatorProblem } from '../roles/operator-problem.ts'
import { start } from '../roles/start.ts'
import { addDeadLetters } from './dead-letters.ts'
import { DevnetAway, playDevnet } from './devnet.ts'
import { addDoctor } from './doctor.ts'
import { ConfigInvalid, printConfig, readConfig } from './environment.ts'
import { addLag } from './lag.ts'
import { addRebuild } from './rebuild.ts'
import { addReplay } from './replay.ts'
import { addTail } from './tail.ts'

const program = new Command('market')
  .description('Keeps every Bitcoin sale order verified, and says what it proved and when.')
  .showHelpAfterError()

program
  .command('start')
  .description('run the service until SIGTERM or SIGINT')
  .action(async () => start(readConfig()))

program
  .command('config')
  .description('print every variable that is in force, secrets redacted')
  .action(() => {
    process.stdout.write(`${printConfig(readConfig())}\n`)
  })

program
  .command('audit')
  .description('prove the twelve invariants; whoever writes the log must be stopped')
  .action(async () => {
    const config = readConfig()
    const report = await auditStore(config)
    process.stdout.write(`${sourcesOf(config)}\n\n${report}\n`)
    process.exitCode = report.isClean ? 0 : 1
  })

addDoctor(program)
addTail(program)
addLag(program)
addReplay(program)
addDeadLetters(program)
addRebuild(program)

const devnet = program
  .command('devnet')
  .description('play with the built-in devnet of the running service')
devnet
  .command('fund <address> <sats>')
  .description('pay an address, in a block')
  .action((address: string, sats: string) => playDevnet(readConfig(), 'fund', { address, sats }))
devnet
  .command('inscribe <address> <text>')
  .description('inscribe a text on a coin of 10,000 sats of an address')
  .action((address: string, text: string) =>
    playDevnet(readConfig(), 'inscribe', { address, text }),
  )
devnet
  .command('mine [blocks]')
  .description('mine blocks with what is in the mempool')
  .action((blocks = '1') => playDevnet(readConfig(), 'mine', { blocks: Number(blocks) }))
devnet
  .command('reorg [depth]')
  .description('replace the last blocks by one more')
  .action((depth = '1') => playDevnet(readConfig(), 'reorg', { depth: Number(depth) }))

try {
  await program.parseAsync()
} catch (error) {
  process.stderr.write(`market: ${messageOf(error)}\n`)
  process.exitCode = 1
}

/** What an operator can mend is told in its own words; anything else with its trace. */
function messageOf(error: unknown): string {
  if (error instanceof ConfigInvalid || error instanceof DevnetAway) return error.message
  return operatorProblem(error) ?? (error instanceof Error ? (error.stack ?? '') : String(error))
}
