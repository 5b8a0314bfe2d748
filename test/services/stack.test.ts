import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { type DemoRun, runDemo } from '../support/services/run-demo.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')

describe('npm run stack', () => {
  let run: DemoRun
  beforeAll(async () => {
    execFileSync('npm', ['run', '--silent', 'build'], { cwd: ROOT, stdio: 'inherit' })
    run = await runDemo(['--stack'])
  })

  test('brings up every service and role, and plays the demo across them to its last line', () => {
    expect([run.code, run.stderr]).toEqual([0, ''])
    for (const part of ['Kafka', 'Redis', 'ClickHouse', 'Bitcoin Core', 'ord']) {
      expect(run.stdout).toContain(part)
    }
    for (const role of ['gateway', 'ingest', 'actors', 'projector']) {
      expect(run.stdout).toMatch(new RegExp(`^ {2}${role} +http://127\\.0\\.0\\.1:`, 'm'))
    }
    expect(run.stdout).toMatch(/^8 acts, [0-9]+ requests, every answer as it had to be\.$/m)
  })
})
