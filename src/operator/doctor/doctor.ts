import { systemClock } from '../../adapters/embedded/system-clock.ts'
import { withTimeout } from '../../runtime/deadline.ts'
import type { Config } from '../../schemas/config/config.ts'
import { authorityChecks } from './authorities.ts'
import { feedChecks } from './feeds.ts'
import { type Check, type Finding, fail, messageOf } from './finding.ts'
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

/**
 * Checks everything that the configuration names, in parallel, whatever fails. It creates and
 * changes nothing.
 */
export async function doctor(config: Config, withinMs = CHECK_MS): Promise<Diagnosis> {
  const checks = [
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
    checks.map(async (check) =>
      (await lookWithin(check, withinMs)).map((finding) => ({ part: check.name, ...finding })),
    ),
  )
  const findings = found.flat()
  return { findings, isWell: findings.every(({ status }) => status !== 'fail') }
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
