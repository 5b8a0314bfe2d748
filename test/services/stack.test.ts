import { beforeAll, describe, expect, test } from 'vitest'
import { type DemoRun, runDemo, valuesOf } from '../support/services/run-demo.ts'

describe('npm run stack', () => {
  let run: DemoRun
  beforeAll(async () => {
    run = await runDemo(['--stack'])
  })

  test('brings up every service and role, and plays the demo across them to its last line', () => {
    expect([run.code, run.stderr]).toEqual([0, ''])
    for (const part of ['Kafka', 'Redis', 'ClickHouse', 'Bitcoin Core', 'ord']) {
      expect(run.stdout).toContain(part)
    }
    for (const role of ['gateway', 'ingest', 'actors', 'projector', 'webhooks']) {
      expect(run.stdout).toMatch(new RegExp(`^ {2}${role} +http://127\\.0\\.0\\.1:`, 'm'))
    }
    expect(run.stdout).toMatch(/^8 acts, [0-9]+ requests, every answer as it had to be\.$/m)
  })

  test('sends the changes of the sale to a server, and proves it by its bundle', () => {
    expect(valuesOf(run, 'data.entry.toState')).toEqual([
      ...['PENDING_NODE', 'LIVE', 'MEMPOOL_CONFLICTED', 'SETTLED'],
    ])
    expect(run.stdout).toMatch(/^ +sound: 9 facts proved, 1[01] only claimed$/m)
  })
})
