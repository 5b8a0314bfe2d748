import { expect, test } from 'vitest'
import { requestLog } from '../../../src/http/requests/request-log.ts'
import { openLogger } from '../../../src/roles/observe/logger.ts'

function logOf(bindings: object) {
  const lines: unknown[] = []
  const logger = openLogger(
    { LOG_LEVEL: 'trace' },
    { write: (line) => lines.push(JSON.parse(line)) },
  )
  let children = 0
  logger.onChild = () => {
    children += 1
  }
  return { log: requestLog(logger, bindings), lines, children: () => children }
}

test('a request that writes nothing has no logger of its own, one that writes has one', () => {
  const { log, lines, children } = logOf({ reqId: 'r1' })
  expect(children()).toBe(0)
  log.warn({ token: 'x' }, 'first')
  log.error('second')
  expect(children()).toBe(1)
  expect(lines).toMatchObject([
    { level: 'warn', reqId: 'r1', token: '(redacted)', msg: 'first' },
    { level: 'error', reqId: 'r1', msg: 'second' },
  ])
})

test('every level, the level itself and further children are those of the logger', () => {
  const { log, lines } = logOf({ reqId: 'r1' })
  expect(log.level).toBe('trace')
  for (const level of ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const)
    log[level]({ of: level }, 'line')
  log.child({ part: 'x' }).info('child')
  expect(lines).toMatchObject([
    ...['trace', 'debug', 'info', 'warn', 'error', 'fatal'].map((level) => ({ level, of: level })),
    { level: 'info', reqId: 'r1', part: 'x', msg: 'child' },
  ])
})
