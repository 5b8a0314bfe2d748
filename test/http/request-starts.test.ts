import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { paceRequestStarts } from '../../src/http/plugins/request-starts.ts'

test('a burst of POSTs starts turn by turn, and a read overtakes it', async () => {
  const released: (() => void)[] = []
  const app = Fastify()
  paceRequestStarts(app, { turn: () => new Promise((resolve) => released.push(resolve)) }, 'posts')
  const started: string[] = []
  app.post('/work', async () => started.push('POST'))
  app.get('/read', async () => started.push('GET'))

  const posts = [1, 2, 3].map(() => app.inject({ method: 'POST', url: '/work' }))
  await expect.poll(() => released.length).toBe(3)
  expect((await app.inject('/read')).statusCode).toBe(200)
  expect(started).toEqual(['GET'])
  released[0]?.()
  await posts[0]
  expect(started).toEqual(['GET', 'POST'])
  for (const release of released) release()
  const answers = await Promise.all(posts)
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200])
  await app.close()
})

test('where all requests take turns, a read waits for its own', async () => {
  const released: (() => void)[] = []
  const app = Fastify()
  paceRequestStarts(app, { turn: () => new Promise((resolve) => released.push(resolve)) }, 'all')
  let reads = 0
  app.get('/read', async () => {
    reads += 1
  })
  const read = app.inject('/read')
  await expect.poll(() => released.length).toBe(1)
  expect(reads).toBe(0)
  released[0]?.()
  await read
  expect(reads).toBe(1)
  await app.close()
})
