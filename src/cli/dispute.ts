import { type Command, Option } from 'commander'
import { claimLines } from '../operator/dispute/claim-lines.ts'
import { readConfig } from './terminal/environment.ts'
import { OutputError, requireNew, writeNew } from './terminal/new-file.ts'
import { printJson, printLine, printLines, untilInterrupted } from './terminal/output.ts'
import { VERDICT_WORDS } from './terminal/style.ts'

interface VerifyOptions {
  key?: string
  unsigned?: true
  json?: true
}

const HOW_TO_KNOW =
  'give the key of the service with --key (safety.bundleKey of its /api/market/protocol), or do without: --unsigned\n'

export function addDisputes(program: Command): void {
  program
    .command('dispute <order-id>')
    .description('write the bundle that proves an order, with nothing withheld')
    .option('--output <file>', 'write it to this new file; by default to stdout')
    .option(
      '--json',
      'print the file and its bytes as JSON; without --output the bundle, which is JSON',
    )
    .addHelpText(
      'after',
      '\nThe bundle names operators and may hold the artifact: give the public that of the API.',
    )
    .action(async (orderId: string, { output, json }: { output?: string; json?: true }) => {
      if (output !== undefined) requireNew(output)
      // It is exact to the byte, and may hold what a terminal would act on.
      else if (process.stdout.isTTY)
        throw new OutputError('a bundle is for a file: use --output FILE, or redirect stdout')
      const { makeDispute } = await import('../operator/dispute/make-dispute.ts')
      const config = readConfig()
      const text = await untilInterrupted((signal) => makeDispute(config, orderId, signal))
      if (output === undefined) process.stdout.write(`${text}\n`)
      else {
        await writeNew(output, text)
        const bytes = Buffer.byteLength(text)
        if (json) await printJson({ file: output, bytes })
        else await printLine(`${output}: ${bytes} bytes`)
      }
    })
  program
    .command('verify-bundle <file>')
    .description(
      'check a bundle by itself, without any network; code 1 if anything in it is false, or no known key signed it',
    )
    .option(
      '--key <hex>',
      'public key of the service: safety.bundleKey of its /api/market/protocol',
    )
    .addOption(new Option('--unsigned', 'code 0 also if no known key signed it').conflicts('key'))
    .option('--json', 'print the findings as JSON')
    .addHelpText(
      'after',
      () =>
        `\nWhere changes are withheld, a bundle only claims:\n${claimLines()
          .map((line) => `  ${line}`)
          .join('\n')}`,
    )
    .action(async (file: string, { key, unsigned, json }: VerifyOptions) => {
      const { findingLines, resultOf, verifyBundleFile } = await import(
        '../operator/dispute/verify-bundle-file.ts'
      )
      const findings = await verifyBundleFile(file, key)
      const result = resultOf(findings)
      if (json) await printJson({ result, isSound: result === 'sound', ...findings })
      else await printLines(findingLines(findings), VERDICT_WORDS)
      if (result === 'consistent' && !unsigned) process.stderr.write(HOW_TO_KNOW)
      process.exitCode = result === 'sound' || (result === 'consistent' && unsigned) ? 0 : 1
    })
}
