#!/usr/bin/env node
import { operatorProblem } from '../operator/operator-problem.ts'
import { program } from './program.ts'
import { styled } from './terminal/style.ts'

try {
  const isAlone = process.argv.length <= 2
  await (isAlone ? program.parseAsync(['status'], { from: 'user' }) : program.parseAsync())
} catch (error) {
  process.stderr.write(`${styled('red', 'market:', process.stderr)} ${messageOf(error)}\n`)
  process.exitCode = 1
}

/** A problem that an operator can fix is shown by its message; any other error with its trace. */
function messageOf(error: unknown): string {
  return operatorProblem(error) ?? (error instanceof Error ? (error.stack ?? '') : String(error))
}
