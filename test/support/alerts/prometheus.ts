import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import { temporaryDirectory } from '../embedded.ts'
import { alertsPath } from '../services/programs.ts'
import { type AlertRule, rules } from './rules.ts'

/** The time between two scrapes and two evaluations, as in the PodMonitor, milliseconds. */
export const STEP_MS = 15_000

const Firing = z.object({
  alert: z.string(),
  labels: z.record(z.string(), z.string()),
  from: z.number(),
  to: z.number(),
})

/** An alert that fired, from an evaluation until another. */
export type Firing = z.infer<typeof Firing>

const run = promisify(execFile)

/**
 * What fires over these samples, by Prometheus' own engine: a line for each, `series value time`,
 * the time in milliseconds and a multiple of `stepMs`.
 */
export async function evaluate(
  samples: readonly string[],
  of: readonly AlertRule[] = rules,
  stepMs = STEP_MS,
): Promise<Firing[]> {
  if (samples.length === 0) return []
  const directory = temporaryDirectory()
  try {
    const [ruleFile, seriesFile] = ['rules.json', 'series.txt'].map((name) =>
      join(directory.path, name),
    ) as [string, string]
    writeFileSync(ruleFile, JSON.stringify(of))
    writeFileSync(seriesFile, `${samples.join('\n')}\n`)
    const program = alertsPath('PROMETHEUS')
    const { stdout } = await run(program, [ruleFile, seriesFile, String(stepMs)], {
      maxBuffer: 2 ** 24,
    })
    return stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => Firing.parse(JSON.parse(line)))
  } finally {
    directory.drop()
  }
}
