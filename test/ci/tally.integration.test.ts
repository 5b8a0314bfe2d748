import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

const SCRIPT = path.resolve(import.meta.dirname, '../../.ci/tally.js')

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'market-tally-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** The output for suites, their results by name, at the end of a run with that status. */
function tally(suites: Record<string, string | object>, status = '0') {
  for (const [name, counts] of Object.entries(suites)) {
    const text = typeof counts === 'string' ? counts : JSON.stringify(counts)
    writeFileSync(path.join(folder, name), text)
  }
  const run = spawnSync(process.execPath, [SCRIPT, folder, status], { encoding: 'utf8' })
  return { line: run.stdout, told: run.stderr, code: run.status }
}

const caseOf = (status: string, name = '') => ({
  status,
  fullName: name,
  failureMessages: status === 'failed' ? ['\u001b[31mexpected 1\u001b[39m\nto be 2'] : [],
})
const fileOf = (status: string, assertionResults: object[], message = '') => ({
  name: path.resolve('test/a.test.ts'),
  status,
  message,
  assertionResults,
})

const vitest = (passed: number, failed: number, testResults: object[] = []) => ({
  numTotalTests: passed + failed + 3,
  numPassedTests: passed,
  numFailedTests: failed,
  numPendingTests: 3,
  testResults,
})

const schemathesis = (generated: number, withFailures: number, errored = 0, withoutChecks = 0) => ({
  test_cases: {
    generated,
    with_failures: withFailures,
    unique_failures: Math.min(withFailures, 1),
    errored,
    without_checks: withoutChecks,
  },
})

test('all suites are summed; skipped tests are neither', () => {
  const suites = {
    lint: { passed: 1, failed: 0 },
    unit: vitest(40, 0),
    schema: schemathesis(3430, 0, 0, 30),
  }
  expect(tally(suites)).toEqual({ line: '3441 passed, 0 failed\n', told: '', code: 0 })
})

test('failed tests, cases and checks are failed', () => {
  const failing = fileOf('failed', [
    caseOf('passed'),
    caseOf('failed', 'adds'),
    caseOf('failed', 'subtracts'),
  ])
  const suites = {
    deploy: { passed: 4, failed: 1 },
    unit: vitest(40, 2, [failing]),
    schema: schemathesis(100, 10, 5),
  }
  expect(tally(suites)).toEqual({
    line: '129 passed, 18 failed\n',
    told: 'unit: test/a.test.ts: adds: expected 1\nunit: test/a.test.ts: subtracts: expected 1\n',
    code: 1,
  })
})

test('a file of tests that could not be loaded has failed', () => {
  const unit = vitest(40, 0, [
    fileOf('failed', [], 'no such module'),
    fileOf('failed', [caseOf('passed')], 'afterAll failed'),
    fileOf('passed', [caseOf('passed')]),
  ])
  expect(tally({ unit })).toEqual({
    line: '40 passed, 2 failed\n',
    told: 'unit: test/a.test.ts: no such module\nunit: test/a.test.ts: afterAll failed\n',
    code: 1,
  })
})

test.each<[string, string | object]>([
  ['wrote nothing', ''],
  ['wrote a part', '{"passed": 1'],
  ['wrote something else', 'null'],
  ['ran no test', vitest(0, 0)],
  ['made no case', schemathesis(0, 0)],
  ['skipped every case', schemathesis(7, 0, 0, 7)],
  ['lacks a number', { passed: 3 }],
  ['counts below nought', { passed: -1, failed: 2 }],
])('a suite that %s has failed, and is named', (_, counts) => {
  const { line, told, code } = tally({ build: { passed: 1, failed: 0 }, odd: counts })
  expect({ line, code }).toEqual({ line: '1 passed, 1 failed\n', code: 1 })
  expect(told).toContain('odd')
})

test('a failed run has failed, whatever its suites say', () => {
  const suites = { unit: vitest(40, 0) }
  expect(tally(suites, '137')).toMatchObject({ line: '40 passed, 1 failed\n', code: 1 })
})

test('a run that failed by its tests has failed as often as they have', () => {
  expect(tally({ unit: vitest(40, 2) }, '1')).toMatchObject({ line: '40 passed, 2 failed\n' })
})

test('a run without a suite has failed', () => {
  expect(tally({})).toMatchObject({ line: '0 passed, 1 failed\n', code: 1 })
})
