import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { operatorProblem } from '../../src/operator/operator-problem.ts'
import { temporaryDirectory } from '../support/embedded.ts'

test('a path that cannot be written is named with why, and without a trace', async () => {
  const { path, drop } = temporaryDirectory()
  const file = join(path, 'no', 'answers')
  const error = await appendFile(file, 'x').catch((thrown: unknown) => thrown)
  expect(operatorProblem(error)).toBe(
    `${file} cannot be read or written: no such file or directory (open)`,
  )
  drop()
})

test('a full disk has no path', () => {
  const error = Object.assign(new Error('ENOSPC: no space left on device, write'), {
    ...{ code: 'ENOSPC', syscall: 'write' },
  })
  expect(operatorProblem(error)).toBe(
    'a file cannot be read or written: no space left on device (write)',
  )
})

test.each([
  new Error('a defect'),
  Object.assign(new Error('spawn x ENOENT'), { code: 'ENOENT', syscall: 'spawn x', path: 'x' }),
  Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', syscall: 'connect' }),
  Object.assign(new Error('connect EPERM 10.0.0.1:9092'), { code: 'EPERM', syscall: 'connect' }),
  Object.assign(new Error('accept EMFILE'), { code: 'EMFILE', syscall: 'accept' }),
  Object.assign(new Error('kill EPERM'), { code: 'EPERM', syscall: 'kill' }),
])('%s is none of a file', (error) => {
  expect(operatorProblem(error)).toBeNull()
})
