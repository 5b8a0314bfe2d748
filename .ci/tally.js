// Prints `N passed, N failed` over all suites: node .ci/tally.js FOLDER [STATUS]
//
// FOLDER holds a file for each suite that began: vitest's JSON report, schemathesis' JSON report, or {passed, failed}.
// STATUS is that of the run, 0 by default. Exits 1 when anything failed, and names it first.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { stripVTControlCharacters } from 'node:util'

const isCount = (value) => Number.isSafeInteger(value) && value >= 0

const isFailed = ({ status }) => status === 'failed'
const firstLine = (text) => stripVTControlCharacters(text).split('\n', 1)[0]
const fileOf = (name) => path.relative(process.cwd(), name)

/** A file that could not be loaded holds no failed test; it has failed all the same. */
function ofVitest({ numPassedTests, numFailedTests, testResults }) {
  const files = testResults.filter(isFailed)
  const broken = files.filter(({ assertionResults }) => !assertionResults.some(isFailed))
  const failures = files.flatMap(({ name, message, assertionResults }) => [
    ...(assertionResults.some(isFailed) ? [] : [`${fileOf(name)}: ${firstLine(message)}`]),
    ...assertionResults
      .filter(isFailed)
      .map((test) => `${fileOf(name)}: ${test.fullName}: ${firstLine(test.failureMessages[0])}`),
  ])
  return { passed: numPassedTests, failed: numFailedTests + broken.length, failures }
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
    const counts = countsIn(readFileSync(file, 'utf8'))
    const { passed, failed, failures = [] } = counts
    if (isCount(passed) && isCount(failed) && passed + failed > 0) {
      for (const failure of failures) console.error(`${path.basename(file)}: ${failure}`)
      return { passed, failed }
    }
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
