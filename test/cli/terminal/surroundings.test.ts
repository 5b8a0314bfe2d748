import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { surroundings } from '../../../src/cli/terminal/surroundings.ts'
import { temporaryDirectory } from '../../support/embedded.ts'

let folder: ReturnType<typeof temporaryDirectory>
beforeEach(() => {
  folder = temporaryDirectory()
})
afterEach(() => folder.drop())

function write(text: string, name = '.env', mode = 0o644): string {
  const path = join(folder.path, name)
  writeFileSync(path, text)
  chmodSync(path, mode)
  return path
}
const read = (env: NodeJS.ProcessEnv = {}) => surroundings(env, folder.path)

describe('a file .env beside the process', () => {
  test('is read where it exists, with comments and quotes', () => {
    const path = write('# a comment\nPORT=9000\nHOST="::1" # quoted\n')
    expect(read()).toEqual({
      variables: { PORT: '9000', HOST: '::1' },
      file: path,
      faults: [],
      misgivings: [],
    })
    expect(process.env['PORT']).toBeUndefined()
  })

  test('need not exist, and a folder of this name is passed over', () => {
    expect(read({ PORT: '1' })).toMatchObject({ variables: { PORT: '1' }, file: null, faults: [] })
    mkdirSync(join(folder.path, '.env'))
    expect(read()).toMatchObject({ file: null, faults: [] })
  })

  test('yields to the environment, in whichever form that gives a variable', () => {
    write('PORT=1\nCURSOR_KEY=a\nWEBHOOK_KEY_FILE=b\nBITCOIN_RPC_COOKIE_FILE=c\n', '.env', 0o600)
    const env = { PORT: '2', CURSOR_KEY_FILE: 'd', WEBHOOK_KEY: 'e' }
    expect(read(env).variables).toEqual({ ...env, BITCOIN_RPC_COOKIE_FILE: 'c' })
  })

  test('is another one by ENV_FILE, which must exist, and none where that is empty', () => {
    write('PORT=1\n')
    const path = write('PORT=2\n', 'other.env')
    expect(read({ ENV_FILE: 'other.env' })).toMatchObject({ variables: { PORT: '2' }, file: path })
    expect(read({ ENV_FILE: '' })).toMatchObject({ variables: { ENV_FILE: '' }, file: null })
    const { file, faults } = read({ ENV_FILE: 'away.env' })
    const text = expect.stringMatching(/away\.env cannot be read: ENOENT/)
    expect([file, faults]).toEqual([null, [{ variable: 'ENV_FILE', text }]])
  })

  test.runIf(process.platform !== 'win32')(
    'is warned of where it has secrets that others may read',
    () => {
      const path = write('BITCOIN_RPC_PASSWORD=a\n')
      const what = `${path} holds secrets, and other users of this machine may read it`
      expect(read().misgivings).toEqual([{ what, cure: `chmod 600 ${path}` }])
      chmodSync(path, 0o600)
      expect(read().misgivings).toEqual([])
      write('PORT=1\n')
      expect(read().misgivings).toEqual([])
    },
  )
})

describe('a name that is one edit from a variable', () => {
  test.each([
    ['BITCION_NETWORK', 'BITCOIN_NETWORK'],
    ['KAFKA_BROKER', 'KAFKA_BROKERS'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['CURSOR_KEY_FIL', 'CURSOR_KEY_FILE'],
    ['OPERATOR_TOKE', 'OPERATOR_TOKEN'],
  ])('%s is warned of', (name, meant) => {
    const [misgiving, ...others] = read({ [name]: 'x' }).misgivings
    expect(misgiving?.what).toBe(`${name} is no variable of the service`)
    expect(misgiving?.cure).toContain(meant)
    expect(others).toEqual([])
  })

  test('in the file too', () => {
    write('BITCION_NETWORK=x\n')
    expect(read().misgivings).toHaveLength(1)
  })

  test.each([
    'PATH',
    'HOME',
    'HOSTNAME',
    'PORT',
    'PORT_FILE',
    'REDIS_PORT',
    'NODE_OPTIONS',
    'KAFKA_HOST',
  ])('%s is none', (name) => expect(read({ [name]: 'x' }).misgivings).toEqual([]))
})
