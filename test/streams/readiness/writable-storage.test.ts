import { describe, expect, test } from 'vitest'
import { StorageUnavailableError } from '../../../src/ports/log/storage-errors.ts'
import { writableStorage } from '../../../src/streams/readiness/writable-storage.ts'
import { ManualClock } from '../../support/manual-clock.ts'

const clock = new ManualClock()
const views = { probe: async () => undefined }
const log = { end: async () => 7 }
const silent = new Promise<never>(() => undefined)
const away = async () => {
  throw new StorageUnavailableError('io', 'no broker')
}
const probe = (changes: Partial<Parameters<typeof writableStorage>[0]>) =>
  writableStorage({ log, views, clock, logMs: 2_000, ...changes }).probe()

describe('storage is writable while the views are and the log answers', () => {
  test('both do', async () => {
    await expect(probe({})).resolves.toBeUndefined()
  })

  test.each([
    ['the log is unavailable', { log: { end: away } }],
    ['the views refuse writes', { views: { probe: away } }],
  ])('not when %s', async (_name, changes) => {
    await expect(probe(changes)).rejects.toThrow('no broker')
  })

  test('a log that hangs is unavailable once its time is over', async () => {
    const probed = probe({ log: { end: () => silent } })
    await clock.turn()
    clock.advance(2_000)
    await expect(probed).rejects.toThrow('the log does not answer')
  })
})
