import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { takeTurns } from '../../src/http/plugins/turns.ts'

test('a burst of POSTs starts turn by turn, and a read overtakes it', async () => {
  const released: (() => void)[] = []
  const app = Fastify()
  takeTurns(app, { turn: () => new Promise((resolve) => released.push(resolve)) })
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
