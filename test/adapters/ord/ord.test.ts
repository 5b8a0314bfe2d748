import { afterEach, describe, expect, test } from 'vitest'
import { openOrd } from '../../../src/adapters/ord/ord.ts'
import type { AssetIndex } from '../../../src/ports/authorities/asset-index.ts'
import { IndexUnavailableError } from '../../../src/ports/authorities/authority-errors.ts'
import { type OrdExchange, ordAnswers } from '../../support/chain/recorded-answers.ts'
import { type FaultyProxy, openFaultyProxy } from '../../support/faults/faulty-proxy.ts'
import {
  type HttpAnswer,
  type HttpHandler,
  type HttpServer,
  openHttpServer,
} from '../../support/http/http-server.ts'
import { toTxid } from '../../support/ids.ts'

const UNKNOWN = { txid: toTxid('f'.repeat(64)), vout: 0 }

let server: HttpServer
let index: AssetIndex & { close(): Promise<void> }
afterEach(async () => {
  await index.close()
  await server.close()
})

async function open(handler: HttpHandler): Promise<void> {
  server = await openHttpServer(handler)
  index = openOrd({ url: server.url })
}

function known(name: string): OrdExchange {
  const exchange = ordAnswers[name]
  if (exchange === undefined) throw new Error(`no recorded answer ${name}`)
  return exchange
}

const isPage = ({ contentType }: OrdExchange) => contentType.startsWith('text/html')

/** The recorded answers, by path and by whether JSON was requested in ord's own form. */
const recorded: HttpHandler = ({ path, headers }) => {
  if (['/outputs', '/inscriptions'].includes(path))
    return { status: 404, contentType: 'text/plain', body: 'not found' }
  const found = Object.values(ordAnswers).find(
    (exchange) =>
      exchange.path === path && isPage(exchange) === (headers.accept !== 'application/json'),
  )
  if (found === undefined) throw new Error(`no recorded answer for ${path}`)
  return found
}

/** As recorded, except for one path. */
const except =
  (name: string, answer: HttpAnswer): HttpHandler =>
  (request) =>
    request.path === known(name).path && request.headers.accept === 'application/json'
      ? answer
      : recorded(request)

const json = (value: unknown): HttpAnswer => ({ body: JSON.stringify(value) })

function outpointOf(name: string) {
  const [, txid = '', vout] = /^\/output\/([0-9a-f]{64}):(\d+)$/.exec(known(name).path) ?? []
  return { txid: toTxid(txid), vout: Number(vout) }
}

const idOf = (name: string): string => known(name).path.replace('/inscription/', '')

describe('what ord answered, in the port’s terms', () => {
  test('status: height and hash of one moment, and a version of program and index', async () => {
    await open(recorded)
    expect(await index.status()).toEqual({
      tip: {
        height: JSON.parse(known('status').body).height,
        hash: JSON.parse(known('hash of the tip').body),
      },
      version: 'ord 0.29.1 runes synced-in-0.000000000s',
      build: 'runes synced-in-0.000000000s',
      unrecoverablyReorged: false,
      runes: true,
    })
  })

  test('an output with two inscriptions: offsets come from their satpoints', async () => {
    await open(recorded)
    expect(await index.output(outpointOf('inscribed output'))).toEqual({
      indexed: true,
      spent: false,
      inscriptions: [
        { id: idOf('inscription 0'), number: 0, offset: '0' },
        { id: idOf('inscription 1'), number: 1, offset: '4321' },
      ],
      runes: [],
    })
  })

  test('an amount of runes beyond what a float holds keeps its digits', async () => {
    await open(recorded)
    const output = await index.output(outpointOf('runic output'))
    expect(output?.runes).toEqual([
      { name: expect.stringMatching(/^[A-Z•]+$/), amount: (2n ** 80n).toString() },
    ])
  })

  test('one unknown output does not hide the others', async () => {
    await open(recorded)
    const answers = await index.contents([outpointOf('empty output'), UNKNOWN])
    expect(answers).toMatchObject([{ indexed: true, inscriptionIds: [] }, null])
  })

  test('the contents of many outputs are one request, the positions in one output another', async () => {
    const bodies = (prefix: string) => (name: unknown) =>
      Object.values(ordAnswers).find(({ path }) => path === `${prefix}${name}`)?.body
    await open((request) => {
      const prefix = { '/outputs': '/output/', '/inscriptions': '/inscription/' }[request.path]
      if (prefix === undefined) return recorded(request)
      return { body: `[${JSON.parse(request.body).map(bodies(prefix)).join()}]` }
    })
    const asked = ['inscribed output', 'empty output'].map(outpointOf)
    const contents = await index.contents(asked)
    const ids = [idOf('inscription 0'), idOf('inscription 1')]
    expect(contents).toMatchObject([{ inscriptionIds: ids }, { inscriptionIds: [] }])
    expect(server.requests.map(({ path }) => path)).toEqual(['/outputs'])
    const output = await index.output(outpointOf('inscribed output'))
    expect(output?.inscriptions?.map(({ id }) => id)).toEqual(ids)
    const [, ...paths] = server.requests.map(({ path }) => path)
    expect(paths).toEqual([known('inscribed output').path, '/inscriptions'])
  })

  test('outputs that are asked about at the same time share requests', async () => {
    const bodyOf = (name: unknown) =>
      Object.values(ordAnswers).find(({ path }) => path === `/output/${name}`)?.body
    await open((request) =>
      request.path === '/outputs'
        ? { body: `[${JSON.parse(request.body).map(bodyOf).join()}]` }
        : recorded(request),
    )
    const outpoint = outpointOf('empty output')
    const answers = await Promise.all(Array.from({ length: 6 }, () => index.output(outpoint)))
    expect(answers).toEqual(Array(6).fill(await index.output(outpoint)))
    const { path } = known('empty output')
    expect(server.requests.map((request) => request.path)).toEqual([path, path, '/outputs', path])
  })

  test('an answer about many that is too large spoils the answer about none of them', async () => {
    const large = ' '.repeat(2 ** 20 + 1)
    await open((request) =>
      request.path === '/outputs' ? { body: `[${large}]` } : recorded(request),
    )
    const outpoint = outpointOf('empty output')
    const answers = await Promise.all(Array.from({ length: 6 }, () => index.output(outpoint)))
    expect(answers.every((answer) => answer?.indexed)).toBe(true)
    expect(server.requests.filter((request) => request.path === '/outputs')).toHaveLength(1)
  })

  test('an unknown inscription is null, an inscription says where it is', async () => {
    await open(recorded)
    expect(await index.inscription(idOf('unknown inscription'))).toBeNull()
    expect(await index.inscription(idOf('inscription 1'))).toEqual({
      id: idOf('inscription 1'),
      number: 1,
      satpoint: { outpoint: outpointOf('inscribed output'), offset: '4321' },
    })
  })

  test.each([
    ['unbound', `${'0'.repeat(64)}:0:7`],
    ['lost', `${'0'.repeat(64)}:4294967295:7`],
  ])('an %s inscription is nowhere', async (_, satpoint) => {
    const id = idOf('inscription 0')
    await open(except('inscription 0', json({ id, number: 0, satpoint })))
    expect(await index.inscription(id)).toEqual({ id, number: 0, satpoint: null })
  })
})

describe('an index that moves while it is read', () => {
  const status = (height: number | null) => ({
    ...JSON.parse(known('status').body),
    height,
  })

  test('status: asked again until the height stays the same', async () => {
    const heights = [110, 111, 111]
    await open((request) => {
      if (request.headers.accept !== 'application/json') return recorded(request)
      if (request.path === '/status') return json(status(heights.shift() ?? 111))
      return json(request.path.endsWith('/111') ? 'b'.repeat(64) : 'a'.repeat(64))
    })
    expect((await index.status()).tip).toEqual({ height: 111, hash: 'b'.repeat(64) })
  })

  test('status: while nothing moves it is two requests, and a reorg is noticed', async () => {
    const paths: string[] = []
    let [height, hash] = [110, 'a'.repeat(64)]
    await open((request) => {
      paths.push(request.path)
      if (request.path === '/status' && request.headers.accept === 'application/json')
        return json(status(height))
      return request.path === '/status' ? recorded(request) : json(hash)
    })
    await index.status()
    paths.length = 0
    expect((await index.status()).tip).toEqual({ height: 110, hash })
    expect(paths).toEqual(['/r/blockhash/110', '/status'])
    hash = 'c'.repeat(64)
    expect((await index.status()).tip).toEqual({ height: 110, hash })
    height = 109
    expect((await index.status()).tip).toEqual({ height: 109, hash })
  })

  test('status: a height that keeps changing is not an answer', async () => {
    let height = 0
    await open((request) =>
      request.path === '/status' ? json(status(height++)) : json('a'.repeat(64)),
    )
    await expect(index.status()).rejects.toMatchObject({ reason: 'asset_index_behind' })
  })

  test('status: before its first block there is no tip', async () => {
    await open(except('status', json(status(null))))
    expect((await index.status()).tip).toBeNull()
  })

  test('status: beyond recovery is said, not judged', async () => {
    const reorged = { ...status(112), unrecoverably_reorged: true }
    await open(except('status', json(reorged)))
    expect((await index.status()).unrecoverablyReorged).toBe(true)
  })

  test('an inscription that left between two answers: both are asked again', async () => {
    let asked = 0
    const id = idOf('inscription 0')
    await open((request) => {
      const away = request.path === known('inscription 0').path && asked++ === 0
      return away ? json({ id, number: 0, satpoint: `${UNKNOWN.txid}:0:0` }) : recorded(request)
    })
    const output = await index.output(outpointOf('inscribed output'))
    expect(output?.inscriptions).toHaveLength(2)
    expect(asked).toBe(2)
  })

  test('an inscription that is never where the output says: not an answer', async () => {
    await open(except('inscription 0', known('unknown inscription')))
    await expect(index.output(outpointOf('inscribed output'))).rejects.toMatchObject({
      reason: 'asset_index_behind',
    })
  })
})

describe('what is requested at the same time', () => {
  /** Answers once both paths were requested: a sequential caller waits until it gives up. */
  async function onlyTogether(proxy: FaultyProxy, paths: readonly string[]): Promise<void> {
    const asked = new Set<string>()
    let release = () => {}
    const both = new Promise<void>((resolve) => {
      release = resolve
    })
    proxy.decide(async ({ address: { pathname } }) => {
      if (paths.includes(pathname)) asked.add(pathname)
      if (asked.size === paths.length) release()
      await both
      return 'pass' as const
    })
  }

  test.each<[string, string[], () => Promise<unknown>]>([
    [
      'the height, and the hash at the height last read',
      ['/status', known('hash of the tip').path],
      async () => (await index.status()).tip?.height,
    ],
    [
      'an output, and the place of what is likely to be there',
      [known('inscribed output').path, known('inscription 0').path],
      async () => {
        const output = await index.output(outpointOf('inscribed output'), idOf('inscription 0'))
        return output?.inscriptions?.length
      },
    ],
  ])('is %s', async (_, paths, ask) => {
    const one = {
      ...JSON.parse(known('inscribed output').body),
      inscriptions: [idOf('inscription 0')],
    }
    server = await openHttpServer(except('inscribed output', json(one)))
    const proxy = await openFaultyProxy(server.url)
    try {
      index = openOrd({ url: proxy.url })
      await index.status()
      await onlyTogether(proxy, paths)
      expect(await ask()).toBeGreaterThan(0)
    } finally {
      await proxy.close()
    }
  })

  test('is not needed: an output is answered even when the likely inscription is not there', async () => {
    await open(recorded)
    const likely = idOf('unknown inscription')
    const output = await index.output(outpointOf('inscribed output'), likely)
    expect(output?.inscriptions).toHaveLength(2)
  })
})

describe('the version', () => {
  const withStatus = (changes: object): HttpHandler =>
    except('status', json({ ...JSON.parse(known('status').body), ...changes }))

  test('does not change when the same program starts again', async () => {
    await open(recorded)
    const { version } = await index.status()
    server.answer(withStatus({ started: '2030-01-01T00:00:00Z' }))
    expect((await index.status()).version).toBe(version)
  })

  test.each([
    ['the index was rebuilt', { initial_sync_time: { secs: 1, nanos: 5 } }],
    ['it indexes other things', { sat_index: true }],
    ['it does not index runes', { rune_index: false }],
  ])('changes when %s', async (_, changes) => {
    await open(recorded)
    const before = await index.status()
    server.answer(withStatus(changes))
    const after = await index.status()
    expect(after.version).not.toBe(before.version)
    expect(after.build).not.toBe(before.build)
  })

  test('changes with the program, which is asked once for each start', async () => {
    await open(recorded)
    const { version } = await index.status()
    await index.status()
    const pages = () => server.requests.filter(({ headers }) => headers.accept === 'text/html')
    expect(pages()).toHaveLength(1)
    const page = known('status page').body.replace('0.29.1', '0.30.0')
    const restarted = withStatus({ started: '2030-01-01T00:00:00Z' })
    server.answer((request) =>
      request.headers.accept === 'text/html'
        ? { contentType: 'text/html', body: page }
        : restarted(request),
    )
    expect((await index.status()).version).toBe(version.replace('0.29.1', '0.30.0'))
  })
})

describe('an index without a usable answer', () => {
  const page: HttpAnswer = { status: 404, contentType: 'text/html', body: '<h1>Not Found</h1>' }
  const unusable: [string, HttpHandler, string][] = [
    ['an error of its own', () => ({ status: 500, body: 'Internal' }), 'asset_index_unreachable'],
    ['a proxy without it', () => ({ status: 502, body: '' }), 'asset_index_unreachable'],
    ['a proxy that limits', () => ({ status: 429, body: '' }), 'asset_index_unreachable'],
    ['a proxy that redirects', () => ({ status: 302, body: '' }), 'asset_index_unreachable'],
    ['a cut connection', () => 'reset', 'asset_index_unreachable'],
    ['a 404 that is not its own', () => page, 'asset_index_malformed'],
    [
      'a 404 about something else',
      () => ({ status: 404, contentType: 'text/plain', body: 'output not found' }),
      'asset_index_malformed',
    ],
    ['its page for people', () => known('output as a page'), 'asset_index_malformed'],
    ['no JSON API', () => ({ status: 406, body: 'JSON API disabled' }), 'asset_index_malformed'],
    ['half JSON', () => ({ body: '{"indexed":' }), 'asset_index_malformed'],
    ['other JSON', () => json({ indexed: 'yes' }), 'asset_index_malformed'],
    ['50 MB', () => ({ body: Buffer.alloc(50_000_000, 32) }), 'asset_index_malformed'],
  ]
  test.each(unusable)('%s', async (_, handler, reason) => {
    await open(handler)
    const questions = [
      () => index.status(),
      () => index.output(outpointOf('empty output')),
      () => index.inscription(idOf('inscription 0')),
    ]
    for (const ask of questions) {
      const error: unknown = await ask().catch((caught: unknown) => caught)
      expect(error).toBeInstanceOf(IndexUnavailableError)
      expect(error).toMatchObject({ reason })
    }
  })

  test('silence: no answer after five seconds', async () => {
    await open(() => 'hang')
    const begun = performance.now()
    await expect(index.inscription(idOf('inscription 0'))).rejects.toMatchObject({
      reason: 'asset_index_unreachable',
    })
    expect(performance.now() - begun).toBeGreaterThan(4_900)
  })

  test('nothing listens', async () => {
    await open(recorded)
    await server.close()
    await expect(index.status()).rejects.toMatchObject({ reason: 'asset_index_unreachable' })
  })

  test('an index without inscriptions proves nothing', async () => {
    const { inscriptions: _, ...output } = JSON.parse(known('empty output').body)
    await open(except('empty output', json({ ...output, inscriptions: null })))
    await expect(index.output(outpointOf('empty output'))).rejects.toMatchObject({
      reason: 'asset_index_malformed',
    })
  })

  test('an output with too many inscriptions is one request, and an answer', async () => {
    const inscriptions = Array.from({ length: 26 }, (_, i) => `${UNKNOWN.txid}i${i}`)
    const output = { ...JSON.parse(known('empty output').body), inscriptions }
    await open(except('empty output', json(output)))
    expect(await index.output(outpointOf('empty output'))).toMatchObject({ inscriptions: null })
    expect(server.requests).toHaveLength(1)
  })

  test('one with so many that not all is read is an answer too, and spoils no other', async () => {
    const inscriptions = Array.from({ length: 20_000 }, (_, i) => `${UNKNOWN.txid}i${i}`)
    const output = { ...JSON.parse(known('empty output').body), inscriptions }
    await open(except('empty output', json(output)))
    const [many, few] = [outpointOf('empty output'), outpointOf('inscribed output')]
    expect(await index.output(many)).toMatchObject({ indexed: true, inscriptions: null })
    expect(server.requests).toHaveLength(1)
    const [unread, read] = await index.contents([many, few])
    expect(unread).toMatchObject({ indexed: false, inscriptionIds: [] })
    expect(read).toMatchObject({ indexed: true })
  })

  test('what else fills an answer is no inscription: what the output holds is unknown', async () => {
    const sat_ranges = Array.from({ length: 60_000 }, (_, i) => [
      10 ** 14 + 2 * i,
      10 ** 14 + 2 * i + 1,
    ])
    const output = { ...JSON.parse(known('empty output').body), sat_ranges }
    await open(except('empty output', json(output)))
    const outpoint = outpointOf('empty output')
    await expect(index.output(outpoint)).rejects.toMatchObject({ reason: 'asset_index_malformed' })
    expect(await index.contents([outpoint])).toMatchObject([{ indexed: false }])
  })

  test('an error that is too long is no answer: the index is unavailable for all outputs', async () => {
    await open(() => ({ status: 502, body: ' '.repeat(2 ** 20 + 1) }))
    await expect(index.contents([outpointOf('empty output')])).rejects.toMatchObject({
      reason: 'asset_index_malformed',
    })
  })

  test('an output with as many inscriptions as are read: one request beside its own', async () => {
    const ids = Array.from({ length: 25 }, (_, i) => `${UNKNOWN.txid}i${i}`)
    const { txid, vout } = outpointOf('empty output')
    const output = { ...JSON.parse(known('empty output').body), inscriptions: ids }
    await open((request) => {
      if (request.path !== '/inscriptions') return except('empty output', json(output))(request)
      const satpoint = `${txid}:${vout}:0`
      return json(ids.map((id, number) => ({ id, number, satpoint })))
    })
    expect((await index.output({ txid, vout }))?.inscriptions).toHaveLength(25)
    expect(server.requests).toHaveLength(2)
  })

  test('thousands of inscriptions in many outputs are one request', async () => {
    const inscriptions = Array.from({ length: 40 }, (_, i) => `${UNKNOWN.txid}i${i}`)
    const output = { ...JSON.parse(known('empty output').body), inscriptions }
    const many = Array.from({ length: 64 }, (_, vout) => ({ ...UNKNOWN, vout }))
    await open(() => json(many.map(() => output)))
    expect(await index.contents(many)).toHaveLength(64)
    expect(server.requests).toHaveLength(1)
  })

  test('asks in the exact form that ord compares', async () => {
    await open(recorded)
    await index.inscription(idOf('inscription 0'))
    expect(server.requests[0]?.headers.accept).toBe('application/json')
    expect(server.requests[0]?.headers['accept-encoding']).toBeUndefined()
  })
})
