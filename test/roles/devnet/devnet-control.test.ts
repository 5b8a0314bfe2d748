import Fastify, { type FastifyInstance } from 'fastify'
import { afterEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../../src/adapters/embedded/system-clock.ts'
import { openDevnet } from '../../../src/devnet/devnet.ts'
import { answerErrors } from '../../../src/http/plugins/errors.ts'
import { validatorCompiler } from '../../../src/http/query/validation.ts'
import { devnetControl } from '../../../src/roles/devnet/devnet-control.ts'

let app: FastifyInstance
afterEach(() => app.close())

async function openControl(isOpen: boolean) {
  app = Fastify()
  app.setValidatorCompiler(validatorCompiler)
  answerErrors(app)
  const devnet = openDevnet({
    dataDir: null,
    network: 'regtest',
    clock: systemClock,
    initialBlocks: 1,
  })
  app.register(devnetControl, { devnet, pairingMagic: 'MRKT', isOpen })
  return devnet
}

const mine = (remoteAddress: string, headers: Record<string, string>, blocks = 1) =>
  app.inject({ method: 'POST', url: '/devnet/mine', payload: { blocks }, remoteAddress, headers })

describe('the devnet', () => {
  test.each([
    ['127.0.0.1', { host: '127.0.0.1:8080' }],
    ['::1', { host: '[::1]:8080' }],
    ['::ffff:127.0.0.1', { host: 'localhost:8080' }],
    ['127.0.0.1', { host: '0.0.0.0:8080' }],
    ['127.0.0.1', { host: 'localhost:8080', origin: 'http://localhost:8080' }],
  ])('is controlled from its own machine: %s, %j', async (peer, headers) => {
    await openControl(false)
    expect((await mine(peer, headers)).statusCode).toBe(201)
  })

  test.each<[string, Record<string, string>]>([
    ['192.168.1.7', { host: '192.168.1.1:8080' }],
    ['172.17.0.1', { host: 'localhost:8080' }],
    ['203.0.113.1', { host: 'localhost' }],
    ['127.0.0.1', { host: 'rebound.example:8080' }],
    ['127.0.0.1', { host: 'localhost.example' }],
    ['127.0.0.1', { host: 'localhost@rebound.example' }],
    ['127.0.0.1', { host: 'localhost', 'x-forwarded-for': '203.0.113.1' }],
    ['127.0.0.1', { host: '127.0.0.1:8080', forwarded: 'for=203.0.113.1' }],
    ['127.0.0.1', { host: '127.0.0.1:8080', via: '1.1 proxy' }],
    ['127.0.0.1', { host: '127.0.0.1:8080', 'x-real-ip': '203.0.113.1' }],
    ['127.0.0.1', { host: '127.0.0.1:8080', 'x-forwarded-host': 'play.example' }],
    ['127.0.0.1', { host: '127.0.0.1:8080', origin: 'https://play.example' }],
    ['127.0.0.1', { host: 'localhost:8080', origin: 'http://localhost:9090' }],
    ['127.0.0.1', { host: 'localhost:8080', origin: 'null' }],
  ])(
    'is not controlled from elsewhere, or by a page or a proxy here: %s, %j',
    async (peer, headers) => {
      await openControl(false)
      const answer = await mine(peer, headers)
      expect(answer.statusCode).toBe(400)
      expect(answer.json().message).toContain('DEVNET_CONTROL')
    },
  )

  test('is controlled by any client where it is open', async () => {
    await openControl(true)
    expect((await mine('203.0.113.1', { host: 'play.example' })).statusCode).toBe(201)
  })

  test('yields to the event loop between blocks', async () => {
    await openControl(false)
    let turns = 0
    let isOver = false
    const turn = () => {
      turns += 1
      if (!isOver) setImmediate(turn)
    }
    setImmediate(turn)
    const answer = await mine('127.0.0.1', { host: 'localhost' }, 50)
    isOver = true
    expect(answer.json().blocks).toHaveLength(50)
    expect(turns).toBeGreaterThanOrEqual(50)
  })
})
