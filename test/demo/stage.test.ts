import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { fields } from '../../demo/stage/readable.ts'
import { Stage, UnexpectedError, type Wanted } from '../../demo/stage/stage.ts'
import type { Answer } from '../support/market/api-client.ts'
import type { Market } from '../support/market/market.ts'

// Anything unexpected ends the demo, and is reported.

const State = z.strictObject({ state: z.string() })
const LIVE: Wanted<z.infer<typeof State>> = {
  status: 200,
  shape: State,
  is: { state: 'LIVE' },
  shows: fields('state'),
}

let printed = ''
beforeEach(() => {
  printed = ''
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += String(text)
    return true
  })
})
afterEach(() => vi.restoreAllMocks())

/** A stage over a service that gives these answers, the last one forever. */
function stageOf(...answers: [status: number, body: unknown][]): Stage {
  return impatientStageOf(5_000, answers)
}

/** Waits this long for what is expected. */
function impatientStageOf(patienceMs: number, answers: [status: number, body: unknown][]): Stage {
  const left = [...answers]
  const answer = async (): Promise<Answer> => {
    const [status, body] = (left.length > 1 ? left.shift() : left[0]) ?? [0, null]
    return { status, headers: new Headers(), body: body as never }
  }
  const market: Pick<Market, 'get' | 'post'> = { get: answer, post: answer }
  return new Stage(market, { patienceMs })
}

test('an expected answer is shown, and counted', async () => {
  const stage = stageOf([200, { state: 'LIVE' }])
  expect(await stage.get('orders/x', LIVE)).toEqual({ state: 'LIVE' })
  expect(stage.requests).toBe(1)
  expect(printed).toBe(
    '      GET     /api/market/orders/x\n      200     state                 LIVE\n',
  )
})

test.each([
  ['another status', [400, { state: 'LIVE' }], 'the status is 400, not 200'],
  ['another value', [200, { state: 'SPENT' }], 'state is SPENT, not LIVE'],
  ['a broken contract', [200, { state: 7 }], 'the answer breaks its contract: state: '],
] as const)('%s ends the demo, with the answer in sight', async (_title, answer, reason) => {
  const stage = stageOf([...answer])
  const posted = stage.post('orders/x', {}, LIVE)
  await expect(posted).rejects.toThrow(UnexpectedError)
  await expect(posted).rejects.toThrow(`POST /api/market/orders/x: ${reason}`)
  const [status, { state }] = answer
  expect(printed).toMatch(new RegExp(`^ {6}${status} +state +${state}$`, 'm'))
  expect(stage.requests).toBe(0)
})

test('what takes time is awaited, and shown once', async () => {
  const stage = stageOf([200, { state: 'PENDING_NODE' }], [404, {}], [200, { state: 'LIVE' }])
  expect(await stage.becomes('orders/x', LIVE)).toEqual({ state: 'LIVE' })
  expect(printed.match(/GET/g)).toHaveLength(1)
})

test('what never comes is reported with its last state', async () => {
  const stage = impatientStageOf(100, [[200, { state: 'PENDING_ASSET' }]])
  const awaited = stage.becomes('orders/x', LIVE)
  await expect(awaited).rejects.toThrow(
    'GET /api/market/orders/x: state is PENDING_ASSET, not LIVE',
  )
})

test('node and index are checked too', () => {
  const stage = stageOf([200, {}])
  stage.expect('the txid', 'a', 'a')
  expect(() => stage.expect('the txid', 'a', 'b')).toThrow(
    new UnexpectedError('the txid is a, not b'),
  )
})

test('a repeated scene is one step, with a summary', async () => {
  const stage = stageOf([200, { state: 'LIVE' }])
  stage.act('An act', 'Of which something is known.')
  await stage.again('As before.', async () => {
    stage.step('Not shown.')
    await stage.get('orders/x', { ...LIVE, gist: () => [['gist', 'yes']] })
  })
  stage.step('Shown.')
  expect(printed).toContain('1.1   As before.\n')
  expect(printed).toContain('200     gist                  yes\n')
  expect(printed).not.toContain('Not shown.')
  expect(printed).toContain('1.2   Shown.\n')
})
