import tab from '@bomb.sh/tab/commander'
import { Command } from 'commander'
import { BUILD_INFO, describeBuild } from '../roles/observe/build-info.ts'
import { StartConfig } from '../schemas/config/start-heights.ts'
import { addAcl } from './acl.ts'
import { addBackup } from './backup.ts'
import { addCircles } from './circles.ts'
import { addDeadLetters } from './dead-letters.ts'
import { addDevnet } from './devnet.ts'
import { addDisputes } from './dispute.ts'
import { addDoctor } from './doctor.ts'
import { addOperator } from './operator.ts'
import { addPairing } from './pairing.ts'
import { addRebuild } from './rebuild.ts'
import { addReplay } from './replay.ts'
import { addImport } from './service/import.ts'
import { addKeys } from './service/keys.ts'
import { addStatus } from './service/status.ts'
import { addWatch } from './service/watch.ts'
import { addWebhooks } from './service/webhooks.ts'
import { addStatistics } from './statistics.ts'
import { addLag, addTail } from './tail.ts'
import { bashCompletion } from './terminal/bash-completion.ts'
import {
  commandHere,
  examineConfig,
  printConfig,
  readConfig,
  readStartConfig,
  shownConfig,
  surroundingsHere,
} from './terminal/environment.ts'
import { printJson } from './terminal/output.ts'
import { openTerminalProgress } from './terminal/progress.ts'
import { addUpgrade } from './upgrade.ts'
import { addUsage } from './usage.ts'

// A command loads what it runs when it runs: all of the service takes most of a second.

/** Every command of `market`; it is parsed, and run, by main.ts. */
export const program = new Command('market')
  .description('Keeps Bitcoin sale orders verified, and reports what was proved and when.')
  .version(describeBuild(BUILD_INFO), '-V, --version', 'print version, commit and Node')
  .showHelpAfterError('market --help lists the commands, market COMMAND --help its options')

program
  .command('start')
  .description('run the service until SIGTERM or SIGINT')
  .action(async () => {
    const { start } = await import('../roles/start.ts')
    const { file, misgivings } = surroundingsHere()
    await start(readStartConfig(), {
      environmentFile: file,
      misgivings,
      command: commandHere(),
    })
  })

program
  .command('config')
  .description('print the effective configuration, secrets redacted')
  .option('--json', 'print as JSON')
  .action(async ({ json }: { json?: true }) => {
    const { file, misgivings } = surroundingsHere()
    const examined = examineConfig(undefined, StartConfig)
    process.exitCode = examined.faults.length > 0 ? 1 : 0
    const warnings = misgivings.map(({ what, cure }) => `${what}: ${cure}`)
    if (json) {
      const problems = examined.faults.map(({ text }) => text)
      const settings = Object.fromEntries(shownConfig(examined.config, examined.untaken))
      return await printJson({ ...settings, environmentFile: file, problems, warnings })
    }
    const comments = [
      ...(file === null ? [] : [`# from the environment, else from ${file}`]),
      ...warnings.map((warning) => `# warning: ${warning}`),
    ]
    process.stdout.write([...comments, printConfig(examined.config, examined), ''].join('\n'))
  })

program
  .command('audit')
  .description('check the twelve invariants; of a log in Kafka stop its writers first')
  .option('--json', 'print as JSON')
  .action(async ({ json }: { json?: true }) => {
    const { auditStore } = await import('../operator/audit/audit-store.ts')
    const { sourcesOf } = await import('../operator/log/open-existing.ts')
    const config = readConfig()
    const progress = openTerminalProgress('audit')
    const report = await auditStore(config, progress.show).finally(progress.end)
    if (json) await printJson(report)
    else process.stdout.write(`${sourcesOf(config)}\n\n${report}\n`)
    process.exitCode = report.isClean ? 0 : 1
  })

addStatus(program)
addWatch(program)
addWebhooks(program)
addKeys(program)
addImport(program)
addDoctor(program)
addTail(program)
addLag(program)
addUsage(program)
addUpgrade(program)
addStatistics(program)
addDisputes(program)
addReplay(program)
addDeadLetters(program)
addRebuild(program)
addBackup(program)
addAcl(program)
addOperator(program)
addPairing(program)
addCircles(program)

addDevnet(program)
// `market completion SHELL` prints a script for that shell, which asks this program for the words: it
// reads the commands and options that are there, so it comes last.
const completion = tab(program, { completionCommandName: 'completion' })
program.commands
  .find((command) => command.name() === 'completion')
  ?.action((shell: string) => {
    if (shell === 'bash') process.stdout.write(bashCompletion(program.name()))
    else completion.setup(program.name(), program.name(), shell)
  })
