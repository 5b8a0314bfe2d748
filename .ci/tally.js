// Prints `N passed, N failed` over all suites: node .ci/tally.js FOLDER [STATUS]
//
// FOLDER holds a file for each suite that began: vitest's JSON report, schemathesis' JSON report, or {passed, failed}.
// STATUS is that of the run, 0 by default. Exits 1 when anything failed.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'

const isCount = (value) => Number.isSafeInteger(value) && value >= 0

/** A file that could not be loaded holds no failed test; it has failed all the same. */
function ofVitest({ numPassedTests, numFailedTests, testResults }) {
  const broken = testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  )
  return { passed: numPassedTests, failed: numFailedTests + broken.length }
}

function ofSchemathesis({ generated, with_failures, errored, without_checks }) {
  const failed = with_failures + errored
  return { passed: generated - failed - without_checks, failed }
}

function countsIn(text) {
  const report = JSON.parse(text)
  if ('testResults' in report) return ofVitest(report)
  if ('test_cases' in report) return ofSchemathesis(report.test_cases)
  return report
}

/** What one suite says; one that says nothing, nothing that can be read, or that it ran nothing has failed. */
function countsOf(file) {
  try {
    const { passed, failed } = countsIn(readFileSync(file, 'utf8'))
    if (isCount(passed) && isCount(failed) && passed + failed > 0) return { passed, failed }
  } catch {
    // Written in part, or not at all: told below.
  }
  console.error(`no counts of a suite that began: ${path.basename(file)}`)
  return { passed: 0, failed: 1 }
}

const [folder = '', status = '0'] = process.argv.slice(2)
const suites = readdirSync(folder).map((name) => countsOf(path.join(folder, name)))
const sum = (of) => suites.reduce((total, suite) => total + of(suite), 0)
const passed = sum((suite) => suite.passed)
const counted = sum((suite) => suite.failed)
// A run that ended badly without a failed test, or ran nothing, has failed as a whole.
const failed = counted === 0 && (status !== '0' || passed === 0) ? 1 : counted
console.info(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
