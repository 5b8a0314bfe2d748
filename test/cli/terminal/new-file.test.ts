import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
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
  expect(readdirSync(directory.path).filter((name) => name.startsWith('part'))).toEqual([])
})

test('it has its name only when it is whole, and replaces none that came meanwhile', async () => {
  async function* pieces() {
    yield Uint8Array.of(1)
    expect(existsSync(file('whole'))).toBe(false)
    writeFileSync(file('whole'), 'of another')
  }
  await expect(writeNew(file('whole'), pieces())).rejects.toThrow('exists already')
  expect(readFileSync(file('whole'), 'utf8')).toBe('of another')
  expect(readdirSync(directory.path).filter((name) => name.startsWith('whole'))).toEqual(['whole'])
})

test('a signal leaves no part of it', async () => {
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true)
  async function* pieces() {
    yield Uint8Array.of(1)
    process.emit('SIGHUP', 'SIGHUP')
    expect(readdirSync(directory.path).filter((name) => name.startsWith('cut'))).toEqual([])
    throw new Error('the process ends')
  }
  await expect(writeNew(file('cut'), pieces())).rejects.toThrow('the process ends')
  expect(kill).toHaveBeenCalledExactlyOnceWith(process.pid, 'SIGHUP')
  kill.mockRestore()
})
