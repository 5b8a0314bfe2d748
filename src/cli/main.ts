#!/usr/bin/env node
import { Command } from 'commander'
import { auditStore } from '../operator/audit/audit-store.ts'
import { sourcesOf } from '../operator/log/open-kept.ts'
import { operatorProblem } from '../operator/operator-problem.ts'
import { start } from '../roles/start.ts'
import { addCircles } from './circles.ts'
import { addDeadLetters } from './dead-letters.ts'
import { addDevnet } from './devnet.ts'
import { addDisputes } from './dispute/commands.ts'
import { addDoctor } from './doctor.ts'
import { printConfig, readConfig, readStartConfig } from './environment.ts'
import { addLag } from './lag.ts'
import { addOperator } from './operator.ts'
import { addPairing } from './pairing.ts'
import { addRebuild } from './rebuild.ts'
import { addReplay } from './replay.ts'
import { addStatistics } from './statistics/commands.ts'
import { addTail } from './tail.ts'
import { addUsage } from './usage.ts'

const program = new Command('market')
  .description('Keeps Bitcoin sale orders verified, and reports what was proved and when.')
  .showHelpAfterError()

program
  .command('start')
  .description('run the service until SIGTERM or SIGINT')
  .action(async () => start(readStartConfig()))

program
  .command('config')
  .description('print the effective configuration, secrets redacted')
  .action(() => {
    process.stdout.write(`${printConfig(readConfig())}\n`)
  })

program
  .command('audit')
  .description('check the twelve invariants; stop every process that writes the log first')
  .action(async () => {
    const config = readConfig()
    const report = await auditStore(config)
    process.stdout.write(`${sourcesOf(config)}\n\n${report}\n`)
    process.exitCode = report.isClean ? 0 : 1
  })

addDoctor(program)
addTail(program)
addLag(program)
addUsage(program)
addStatistics(program)
addDisputes(program)
addReplay(program)
addDeadLetters(program)
addRebuild(program)
addOperator(program)
addPairing(program)
addCircles(program)

addDevnet(program)

try {
  await program.parseAsync()
} catch (error) {
  process.stderr.write(`market: ${messageOf(error)}\n`)
  process.exitCode = 1
}

/** A problem that an operator can fix is shown by its message; any other error with its trace. */
function messageOf(error: unknown): string {
  return operatorProblem(error) ?? (error instanceof Error ? (error.stack ?? '') : String(error))
}
