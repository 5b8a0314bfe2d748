import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { requireNew, writeNew } from '../../../src/cli/terminal/new-file.ts'
import { operatorProblem } from '../../../src/operator/operator-problem.ts'
import { temporaryDirectory } from '../../support/embedded.ts'

const directory = temporaryDirectory()
afterAll(() => directory.drop())
const file = (name: string) => join(directory.path, name)

test('a text or pieces of bytes are written to a new file', async () => {
  await writeNew(file('text'), 'ä\n')
  await writeNew(file('pieces'), [Uint8Array.of(97), Uint8Array.of(98)])
  expect(readFileSync(file('text'), 'utf8')).toBe('ä\n')
  expect(readFileSync(file('pieces'), 'utf8')).toBe('ab')
})

test('one that exists stays as it is, and is named with the cure before anything is asked', async () => {
  writeFileSync(file('old'), 'old')
  const cure = `${file('old')} exists already: name a new file`
  expect(() => requireNew(file('old'))).toThrow(cure)
  const refused = await writeNew(file('old'), 'new').catch((error: unknown) => error)
  expect(operatorProblem(refused)).toBe(cure)
  expect(readFileSync(file('old'), 'utf8')).toBe('old')
})

test('a folder that is not there is named without a trace', async () => {
  const refused = await writeNew(file('no/where'), 'a').catch((error: unknown) => error)
  expect(operatorProblem(refused)).toContain(`${file('no/where')} cannot be written: `)
})

test('of what fails midway no part is left', async () => {
  async function* failing() {
    yield Uint8Array.of(1)
    throw new Error('it broke off')
  }
  await expect(writeNew(file('part'), failing())).rejects.toThrow('it broke off')
  expect(existsSync(file('part'))).toBe(false)
})
