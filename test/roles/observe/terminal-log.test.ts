import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { openLogger, openProcessLog } from '../../../src/roles/observe/logger.ts'
import { TerminalLog } from '../../../src/roles/observe/terminal-log.ts'

function opened() {
  const written: string[] = []
  const log = new TerminalLog({ write: (text) => written.push(text) })
  return { log, logger: openLogger({ LOG_LEVEL: 'trace' }, log), written }
}
const TIME = /^\d\d:\d\d:\d\d\.\d{3} /

test('a line has time, level, message and fields, text without quotes', () => {
  const { log, logger, written } = opened()
  log.begin()
  logger.info({ route: '/a/:id', ms: 4, why: 'two words', one: { two: 3 } }, 'answered')
  expect(written).toHaveLength(1)
  expect(written[0]).toMatch(TIME)
  expect(written[0]?.replace(TIME, '')).toBe(
    'info  answered route=/a/:id ms=4 why="two words" one={"two":3}\n',
  )
})

test('what was said before the banner follows it, and a warning waits for nothing', () => {
  const { log, logger, written } = opened()
  logger.info('starting')
  expect(written).toEqual([])
  log.begin()
  logger.info('later')
  expect(written.map((line) => line.replace(TIME, ''))).toEqual([
    'info  starting\n',
    'info  later\n',
  ])
  const other = opened()
  other.logger.info('first')
  other.logger.warn('second')
  expect(other.written.map((line) => line.replace(TIME, ''))).toEqual([
    'info  first\n',
    'warn  second\n',
  ])
})

test('an error has its trace below, and strangers write no control character', () => {
  const { log, logger, written } = opened()
  log.begin()
  const evil = '\u001b[31mred\u202e\nforged\u009b'
  logger.error({ err: new Error(evil), [evil]: evil }, evil)
  const text = written.join('')
  const lines = text.trimEnd().split('\n')
  expect(lines[0]).toContain('Error: \\u001b[31mred\\u202e')
  expect(lines.slice(1).every((line) => line.startsWith('  '))).toBe(true)
  expect(lines.some((line) => line.includes('terminal-log.test.ts'))).toBe(true)
  expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
})

test('secrets stay out of it', () => {
  const { log, logger, written } = opened()
  log.begin()
  logger.warn({ token: 'a-secret' }, 'of a token')
  expect(written.join('')).not.toContain('a-secret')
})

test.each<[isTTY: boolean, format: 'pretty' | 'json' | undefined, isPretty: boolean]>([
  [true, undefined, true],
  [false, undefined, false],
  [true, 'json', false],
  [false, 'pretty', true],
])('terminal: %s, LOG_FORMAT: %s, for people: %s', (isTTY, LOG_FORMAT, isPretty) => {
  const stream = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY })
  const log = openProcessLog({ LOG_LEVEL: 'info', LOG_FORMAT }, stream as never)
  log.begin()
  log.logger.info({ port: 1 }, 'ready')
  expect(log.isPretty).toBe(isPretty)
  const [line = ''] = stripVTControlCharacters(String(stream.read())).split('\n')
  if (isPretty) expect(line.replace(TIME, '')).toMatch(/^info +ready port=1$/)
  else expect(JSON.parse(line)).toMatchObject({ level: 'info', port: 1, msg: 'ready' })
})
