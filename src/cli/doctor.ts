import type { Command } from 'commander'
import { StartConfig } from '../schemas/config/start-heights.ts'
import { examineConfig, surroundingsHere } from './terminal/environment.ts'
import { printJson, printLines } from './terminal/output.ts'
import { VERDICT_WORDS } from './terminal/style.ts'

const LINGER_MS = 500

export const addDoctor = (program: Command): Command =>
  program
    .command('doctor')
    .description('check everything the configuration refers to, and say how to fix what is wrong')
    .option('--json', 'print the findings as JSON')
    .action(async ({ json }: { json?: true }) => {
      const { diagnosisLines, doctor } = await import('../operator/doctor/doctor.ts')
      const { config, faults } = examineConfig(undefined, StartConfig)
      const { misgivings } = surroundingsHere()
      const diagnosis = await doctor(config, { faults, misgivings })
      if (json) await printJson(diagnosis)
      else await printLines(diagnosisLines(diagnosis), VERDICT_WORDS)
      process.exitCode = diagnosis.isWell ? 0 : 1
      // A check that timed out may still hold a connection open.
      setTimeout(() => process.exit(), LINGER_MS).unref()
    })
