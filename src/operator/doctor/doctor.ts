import { systemClock } from '../../adapters/embedded/system-clock.ts'
import { withTimeout } from '../../runtime/deadline.ts'
import type { Config } from '../../schemas/config/config.ts'
import type { ConfigFault, Misgiving } from '../../schemas/config/faults.ts'
import { authorityChecks } from './authorities.ts'
import { feedChecks } from './feeds.ts'
import { type Check, type Finding, fail, messageOf, refused, warn } from './finding.ts'
import { foldChecks } from './folds.ts'
import { machineChecks } from './machine.ts'
import { newsChecks } from './news.ts'
import { operatorChecks } from './operators.ts'
import { proofChecks } from './proofs.ts'
import { proxyChecks } from './proxy.ts'
import { storeChecks } from './stores.ts'

export interface Diagnosis {
  findings: (Finding & { part: string })[]
  /** Nothing failed. */
  isWell: boolean
}

/** Longer than any time-out within a check. */
const CHECK_MS = 20_000

export interface DoctorOptions {
  /** What is wrong in the configuration, and what is probably not meant. */
  faults?: readonly ConfigFault[]
  misgivings?: readonly Misgiving[]
  withinMs?: number
}

/**
 * Checks everything that the configuration names, in parallel, whatever fails, and whatever of the
 * configuration is wrong. It creates and changes nothing.
 */
export async function doctor(
  config: Config,
  { faults = [], misgivings = [], withinMs = CHECK_MS }: DoctorOptions = {},
): Promise<Diagnosis> {
  const wrong = new Set(faults.map(({ variable }) => variable))
  const checks = [
    configCheck(faults, misgivings),
    ...machineChecks(config),
    ...proxyChecks(config),
    ...operatorChecks(config),
    ...storeChecks(config),
    ...authorityChecks(config),
    ...newsChecks(config),
    ...foldChecks(config),
    ...proofChecks(config),
    ...feedChecks(config),
  ]
  const found = await Promise.all(
    checks.map(async (check) => {
      const needs = check.needs.filter((name) => wrong.has(name))
      const seen = needs.length > 0 ? [unseen(needs)] : await lookWithin(check, withinMs)
      return seen.map((finding) => ({ part: check.name, ...finding }))
    }),
  )
  const findings = found.flat()
  return { findings, isWell: findings.every(({ status }) => status !== 'fail') }
}

const unseen = (needs: readonly string[]): Finding =>
  warn(
    `not checked: ${needs.join(', ')} ${needs.length === 1 ? 'is' : 'are'} wrong`,
    `mend ${needs.join(', ')} first`,
  )

const configCheck = (faults: readonly ConfigFault[], misgivings: readonly Misgiving[]): Check => ({
  name: 'config',
  cure: '',
  needs: [],
  look: async () => [
    ...faults.map(faulty),
    ...misgivings.map(({ what, cure }) => warn(what, cure)),
  ],
})

/** A line of the configuration's rules: some name their cure, after a colon or as what they require. */
function faulty({ text, variable }: ConfigFault): Finding {
  const stated = refused(text)
  if (/^(?:set|unset|use) /.test(stated.cure)) return stated
  const [, required] = / requires ([A-Z].*)$/.exec(text) ?? []
  return fail(text, required ? `set ${required}, or unset ${variable}` : `set ${variable}`)
}

async function lookWithin({ look, cure }: Check, withinMs: number): Promise<Finding[]> {
  try {
    const found = await withTimeout(systemClock, withinMs, look())
    return found === 'late' ? [fail(`no answer within ${withinMs / 1_000} s`, cure)] : found
  } catch (error) {
    return [fail(messageOf(error), cure)]
  }
}

/** A line per finding, its cure below it, and the result in words. */
export function diagnosisLines({ findings }: Diagnosis): string[] {
  const count = (status: Finding['status']) =>
    findings.filter((finding) => finding.status === status).length
  return [
    ...findings.flatMap((finding) => [
      `${finding.status.padEnd(6)}${finding.part.padEnd(12)}${finding.what}`,
      ...(finding.status === 'ok' ? [] : [`${' '.repeat(18)}fix: ${finding.cure}`]),
    ]),
    `${count('ok')} ok, ${count('warn')} warnings, ${count('fail')} failures`,
  ]
}
