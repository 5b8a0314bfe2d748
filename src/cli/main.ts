#!/usr/bin/env node
import { Command } from 'commander'
import { start } from '../roles/all.ts'
import { auditStore } from '../roles/audit/audit-store.ts'
import { playDevnet } from './devnet.ts'
import { ConfigInvalid, printConfig, readConfig } from './environment.ts'

const program = new Command('market')
  .description('Keeps every Bitcoin sale order verified, and says what it proved and when.')
  .showHelpAfterError()

program
  .command('start', { isDefault: true })
  .description('run the role that ROLE names')
  .action(async () => start(readConfig()))

program
  .command('config')
  .description('print what is in force, secrets redacted')
  .action(() => {
    process.stdout.write(`${printConfig(readConfig())}\n`)
  })

program
  .command('audit')
  .description('prove the invariants over the store of DATA_DIR; the service must be stopped')
  .action(async () => {
    const report = await auditStore(readConfig())
    process.stdout.write(`${report}\n`)
    process.exitCode = report.isClean ? 0 : 1
  })

const devnet = program.command('devnet').description('play with the devnet of the running service')
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
  // What an operator can mend is told in its own words; anything else with its trace.
  const known = error instanceof ConfigInvalid || (error instanceof Error && 'reason' in error)
  process.stderr.write(
    `market: ${known ? error.message : error instanceof Error ? error.stack : error}\n`,
  )
  process.exitCode = 1
}
