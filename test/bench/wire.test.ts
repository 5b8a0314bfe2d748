import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { type Channel, openWire } from '../../bench/market/wire.ts'

/** Two ends, each of which gets what the other one sends; a cut one sends nothing. */
function ends() {
  const [here, there] = [new EventEmitter(), new EventEmitter()]
  let isCut = false
  const end = (own: EventEmitter, other: EventEmitter): Channel => ({
    send: (message) => void (!isCut && setImmediate(() => other.emit('message', message))),
    on: (event, listener) => void own.on(event, listener),
  })
  const cut = () => {
    isCut = true
  }
  return { here: end(here, there), there: end(there, here), cut }
}

test('calls are answered, and fail as the other end fails', async () => {
  const { here, there } = ends()
  const call = openWire(here, {})
  openWire(there, {
    sum: (a: number, b: number) => a + b,
    fail: () => {
      throw new RangeError('too much')
    },
  })
  expect(await call('sum', 1, 2)).toBe(3)
  await expect(call('fail')).rejects.toThrow('RangeError: too much')
})

test('what waits for a process that ends fails with the cause, and so does each later call', async () => {
  const { here, cut } = ends()
  const gone = new AbortController()
  const call = openWire(here, {}, gone.signal)
  cut()
  const waiting = [call('one'), call('other')]
  gone.abort(new Error('the process has ended: SIGKILL'))
  for (const each of [...waiting, call('later')])
    await expect(each).rejects.toThrow('the process has ended: SIGKILL')
})
