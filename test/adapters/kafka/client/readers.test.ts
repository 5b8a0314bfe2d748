import { expect, test } from 'vitest'
import { LogReaders } from '../../../../src/adapters/kafka/client/readers.ts'
import { StorageUnavailableError } from '../../../../src/ports/log/storage-errors.ts'

test('a closed log is read as what cannot be used now, which a stop says nothing of', async () => {
  const readers = new LogReaders({} as never, () => 'a')
  await readers.close()
  const reading = readers.read('topic', 0, 0, new AbortController().signal).next()
  const error = await reading.catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(StorageUnavailableError)
  expect((error as StorageUnavailableError).reason).toBe('closed')
})
