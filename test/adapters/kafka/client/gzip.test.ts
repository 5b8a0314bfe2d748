import { randomBytes } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import kafkajs from 'kafkajs'
import { describe, expect, test } from 'vitest'
import { openClient } from '../../../../src/adapters/kafka/client/client.ts'
import { gzipCodec } from '../../../../src/adapters/kafka/client/gzip.ts'

test('is what kafkajs uses for gzip', () => {
  openClient({ brokers: ['127.0.0.1:1'], clientId: 'c', prefix: '', onLog: () => {} })
  expect(kafkajs.CompressionCodecs[kafkajs.CompressionTypes.GZIP]()).toBe(gzipCodec)
})

describe.each([0, 1, 16_384, 16_385, 200_000])('%i bytes', (length) => {
  const buffer = randomBytes(length)

  test('are packed so that any reader unpacks them', async () => {
    expect(gunzipSync(await gzipCodec.compress({ buffer }))).toEqual(buffer)
  })

  test('are read from any writer', async () => {
    expect(await gzipCodec.decompress(gzipSync(buffer))).toEqual(buffer)
  })
})

test.each([100, 20_000])('%i bytes that are no gzip are an error', async (length) => {
  await expect(gzipCodec.decompress(Buffer.alloc(length, 'x'))).rejects.toThrow('header check')
})
