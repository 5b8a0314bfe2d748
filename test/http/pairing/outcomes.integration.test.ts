import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  addressOf,
  hash,
  OBJECT_KEY,
  openPipelines,
  type Pipelines,
  QUIET_TXID,
  RELEASE,
  TIP,
  TXID,
  tupleAt,
} from '../../support/pairing/pairing-pipeline.ts'

// Spec of the pairing routes, 4, 7 and 8: the fifteen outcomes, the three body shapes and the
// rules, as they arrive over HTTP from a pipeline whose peer agrees.

const ABSENT = hash('nowhere')
const UNAVAILABLE = '{"status":"verification_unavailable","error":"verification_unavailable"}'
const VALIDATION = 'Validation failed (numeric string is expected)'
const LIMIT = 'limit must be between 1 and 200'
const TXID_FORM = 'txid must be 32-byte hex'
const KEY_FORM = 'object key must be 32-byte hex'
const LENGTH = 'search query must contain between 1 and 128 characters'
const CHARACTERS = 'search query contains unsupported characters'
const ADDRESS = 'address is not a valid carrier P2WSH address'

let world: Pipelines
/** Withholds for lack of a peer, and cannot sign. */
let bare: Pipelines
beforeAll(async () => {
  world = await openPipelines()
  bare = await openPipelines({ settings: { signing: { release: {} } }, parts: { peer: null } })
})
afterAll(async () => {
  await world.close()
  await bare.close()
})
beforeEach(() => {
  world.views.asked.length = 0
})

const refusal = (statusCode: 400 | 404, message: string): string =>
  JSON.stringify({ message, error: statusCode === 400 ? 'Bad Request' : 'Not Found', statusCode })

/** The raw bytes of an answer. */
async function answered(path: string, of = world): Promise<[number, string]> {
  const { statusCode, body } = await of.get(path)
  return [statusCode, body]
}
const refuses = async (path: string, status: 400 | 404, message: string, of = world) =>
  expect(await answered(path, of), path).toEqual([status, refusal(status, message)])

describe('an outcome', () => {
  test.each([
    [
      '[pairing 7 400 Validation failed (numeric string is expected)]',
      `/carriers/${TXID}/a`,
      400,
      VALIDATION,
    ],
    ['[pairing 7 400 object key must be 32-byte hex]', '/objects/0x00', 400, KEY_FORM],
    ['[pairing 7 400 txid must be 32-byte hex]', '/events/00', 400, TXID_FORM],
    ['[pairing 7 400 vout is invalid]', `/carriers/${TXID}/-1`, 400, 'vout is invalid'],
    ['[pairing 7 400 limit must be between 1 and 200]', '/objects?limit=201', 400, LIMIT],
    [
      '[pairing 7 400 search query must contain between 1 and 128 characters]',
      '/verified/search',
      400,
      LENGTH,
    ],
    [
      '[pairing 7 400 search query contains unsupported characters]',
      '/verified/search?q=%20a%20b',
      400,
      CHARACTERS,
    ],
    [
      '[pairing 7 400 address is not a valid carrier P2WSH address]',
      '/verified/addresses/x',
      400,
      ADDRESS,
    ],
    ['[pairing 7 404 object not found]', `/objects/${ABSENT}`, 404, 'object not found'],
    ['[pairing 7 404 carrier not found]', `/carriers/${TXID}/0`, 404, 'carrier not found'],
    ['[pairing 7 404 transaction not found]', `/events/${ABSENT}`, 404, 'transaction not found'],
    ['[pairing 7 404 checkpoint not found]', '/agreement/1', 404, 'checkpoint not found'],
  ] as const)('of body shape 1 %s [pairing 7 shape 1]', async (_tag, path, status, message) => {
    await refuses(`/pairing${path}`, status, message)
  })

  test('is a 500 of two fields where nothing can be signed, and logged [pairing 7 500 Internal server error] [pairing 7 shape 2] [pairing 7 rule 11]', async () => {
    const internal = '{"statusCode":500,"message":"Internal server error"}'
    expect(await answered(`/pairing/agreement/${TIP}`, bare)).toEqual([500, internal])
    expect(bare.logLines.join()).toContain('PAIRING_PRIVATE_KEY')
    // Before any look-up: a missing record is 500 as well.
    expect(await answered('/pairing/agreement/1', bare)).toEqual([500, internal])
    expect(bare.views.asked).not.toContain('checkpoint 1')
    await refuses('/pairing/agreement/abc', 400, VALIDATION, bare)
  })

  test.each([
    ['keyId', { keyId: '' }],
    ['privateKey', { privateKey: undefined }],
    ['a private key of 31 bytes', { privateKey: '11'.repeat(31) }],
    ['an invalid private key', { privateKey: '00'.repeat(32) }],
    ['a private key above the order', { privateKey: 'ff'.repeat(32) }],
    ['the name', { release: { ...RELEASE, name: undefined } }],
    ['the version', { release: { ...RELEASE, version: '' } }],
    ['the commit', { release: { ...RELEASE, commit: undefined } }],
    ['the digest', { release: { ...RELEASE, digest: undefined } }],
  ])('is that 500 for want of %s alone [pairing 7 rule 11]', async (_what, without) => {
    const signing = { keyId: 'a1', privateKey: hash('key of a1'), release: RELEASE, ...without }
    const other = await openPipelines({ settings: { signing } })
    expect((await other.get(`/pairing/agreement/${TIP}`)).statusCode).toBe(500)
    expect(other.logLines.join()).not.toContain(hash('key of a1'))
    const { reasons } = (await other.get('/ready')).json<{ reasons: string[] }>()
    expect(reasons).toEqual(['agreement_signer_unavailable'])
    await other.close()
  })

  test.each([
    `/pairing/verified/objects/${OBJECT_KEY}`,
    '/pairing/verified/search?q=a',
    `/pairing/verified/addresses/${addressOf('carrier')}`,
  ])(
    'is one fixed 503 of %s [pairing 7 503 body with status and error both equal to the text verification_unavailable] [pairing 7 shape 3]',
    async (path) => {
      expect(await answered(path, bare)).toEqual([503, UNAVAILABLE])
    },
  )

  test.each(['/ready', '/pairing/readiness'])(
    'is the raw snapshot of %s [pairing 7 503 the full readiness snapshot] [pairing 7 shape 3] [pairing 1 rule 4]',
    async (path) => {
      const [status, body] = await answered(path, bare)
      expect([status, JSON.parse(body).ready]).toEqual([503, false])
      expect(body).not.toMatch(/"statusCode"|"message"|"error"/)
    },
  )
})

describe('a route answers', () => {
  test.each([
    ['[pairing 4 /pairing/objects/{objectKey}]', `/pairing/objects/${OBJECT_KEY}`, 'objects'],
    ['[pairing 4 /pairing/carriers/{txid}/{vout}]', `/pairing/carriers/${TXID}/1`, 'carriers'],
    ['[pairing 1 rule 1]', `/pairing/transactions/${TXID}`, 'transactions'],
  ] as const)('the record itself %s', async (_tag, path, kind) => {
    const [status, body] = await answered(path)
    expect([status, JSON.parse(body)]).toEqual([200, world.views.records[kind][0]])
  })

  test('events of a transaction [pairing 4 /pairing/events/{txid}]', async () => {
    const [status, body] = await answered(`/pairing/events/${TXID}`)
    const { events } = world.views.records
    expect([status, body]).toEqual([200, JSON.stringify({ txid: TXID, events })])
  })

  test.each(['objects', 'carriers', 'checkpoints'] as const)(
    'the list of %s, newest first [pairing 1 rule 1]',
    async (kind) => {
      const [status, body] = await answered(`/pairing/${kind}?limit=2`)
      const items = world.views.records[kind].slice(0, 2)
      expect([status, body]).toEqual([200, JSON.stringify({ items })])
    },
  )

  test('the signed checkpoint of a height [pairing 4 /pairing/agreement/{height}] [pairing 1 rule 5]', async () => {
    const [status, body] = await answered(`/pairing/agreement/${TIP - 1}`)
    const envelope = JSON.parse(body)
    expect([status, Object.keys(envelope)]).toEqual([
      200,
      ['pipeline', 'keyId', 'tuple', 'release', 'signature'],
    ])
    expect(envelope).toMatchObject({
      pipeline: 'A',
      keyId: 'a1',
      tuple: tupleAt(TIP - 1),
      release: RELEASE,
      signature: expect.stringMatching(/^[0-9a-f]{128}$/),
    })
  })

  const agreement = {
    height: TIP,
    blockHash: hash(`block ${TIP}`),
    checkpointHash: hash(`checkpoint ${TIP}`),
    keyIds: { A: 'a1', B: 'b1' },
  }
  test.each([
    [
      '[pairing 4 /pairing/verified/objects/{key}]',
      `objects/${OBJECT_KEY}`,
      () => world.views.records.objects[0],
    ],
    [
      '[pairing 4 /pairing/verified/search]',
      'search?q=Label',
      () => ({
        query: 'Label',
        results: [{ kind: 'object', key: OBJECT_KEY, label: 'Label.one' }],
      }),
    ],
    [
      '[pairing 4 /pairing/verified/addresses/{address}]',
      `addresses/${addressOf('carrier')}`,
      () => ({ address: addressOf('carrier'), carriers: world.views.records.carriers }),
    ],
  ])('a verified one wraps the same value %s [pairing 1 rule 2]', async (_tag, path, data) => {
    const [status, body] = await answered(`/pairing/verified/${path}`)
    expect([status, body]).toEqual([200, JSON.stringify({ data: data(), agreement })])
  })

  test('the direct surface claims no agreement [pairing 1 rule 2]', async () => {
    expect((await answered(`/pairing/objects/${OBJECT_KEY}`))[1]).not.toContain('agreement')
    expect((await answered(`/pairing/objects/${OBJECT_KEY}`, bare))[0]).toBe(200)
  })

  test.each(['/ready', '/pairing/readiness'])('readiness [pairing 4 %s]', async (path) => {
    const [status, body] = await answered(path)
    expect([status, body]).toEqual([
      200,
      JSON.stringify({
        configurationValid: true,
        databaseAvailable: true,
        coreAvailable: true,
        coreNetworkMatches: true,
        coreInitialBlockDownload: false,
        nodeHeight: TIP,
        canonicalHeight: TIP,
        checkpointHeight: TIP,
        maxBlockLag: 2,
        signerConfigured: true,
        ready: true,
        reasons: [],
      }),
    ])
  })
})

const LISTS = [
  '/pairing/objects?a=a',
  '/pairing/carriers?a=a',
  '/pairing/checkpoints?a=a',
  '/pairing/verified/search?q=a',
  `/pairing/verified/addresses/${addressOf('carrier')}?a=a`,
]

describe('rule 1: integers are digits with an optional minus [pairing 7 rule 1]', () => {
  test.each([
    'abc',
    '1.5',
    '1e3',
    '',
    '%20',
    '+1',
    '0x10',
    '--1',
    '-',
    '1%20',
    '%201',
    '1%0A',
    '%D9%A3',
    '%EF%BC%91',
    'NaN',
    'Infinity',
    'null',
    '1_0',
    '1,0',
    '%00',
    `${'9'.repeat(400)}`,
    '%zz',
  ])('%j is not one, wherever it occurs', async (text) => {
    for (const path of LISTS) await refuses(`${path}&limit=${text}`, 400, VALIDATION)
    await refuses(`/pairing/agreement/${text}`, 400, VALIDATION)
    await refuses(`/pairing/carriers/${TXID}/${text}`, 400, VALIDATION)
    expect(world.views.asked).toEqual([])
  })

  test('a duplicate limit is not one', async () => {
    for (const path of LISTS) await refuses(`${path}&limit=1&limit=1`, 400, VALIDATION)
  })

  test('a limit without a value is not one', async () => {
    for (const path of LISTS) await refuses(`${path}&limit`, 400, VALIDATION)
  })

  test('-0 is 0, and leading zeros are digits', async () => {
    await refuses(`/pairing/carriers/${TXID}/-0`, 404, 'carrier not found')
    expect((await answered(`/pairing/carriers/${TXID}/0001`))[0]).toBe(200)
    expect(world.views.asked).toEqual([`carrier ${TXID}:0`, `carrier ${TXID}:1`])
    await refuses('/pairing/objects?limit=-0', 400, LIMIT)
    await refuses('/pairing/agreement/-0', 404, 'checkpoint not found')
    expect(world.views.asked).toContain('checkpoint 0')
  })

  test('the default is for an absent limit: 50, and 25 of the search [pairing 8 limit default] [pairing 4 limit]', async () => {
    for (const path of LISTS) expect((await answered(path))[0]).toBe(200)
    // One more is read: it shows whether there is a next page.
    expect(world.views.asked).toEqual([
      'objects 51',
      'carriers 51',
      'checkpoints 51',
      'search a 26',
      `carriersOf ${addressOf('carrier')} 51`,
    ])
  })
})

describe('rule 2: txid and object key in lowercase [pairing 7 rule 2] [pairing 8 txid, object key]', () => {
  const OF_TXID = (txid: string) => [
    `/pairing/events/${txid}`,
    `/pairing/transactions/${txid}`,
    `/pairing/carriers/${txid}/1`,
  ]
  const OF_KEY = (key: string) => [`/pairing/objects/${key}`, `/pairing/verified/objects/${key}`]

  test('uppercase is accepted, looked up and echoed in lowercase', async () => {
    const [, body] = await answered(`/pairing/events/${TXID.toUpperCase()}`)
    expect(JSON.parse(body).txid).toBe(TXID)
    expect(world.views.asked).toEqual([`events ${TXID}`])
    for (const path of [...OF_TXID(TXID.toUpperCase()), ...OF_KEY(OBJECT_KEY.toUpperCase())])
      expect((await answered(path))[0], path).toBe(200)
  })

  test('percent-encoded digits are those digits', async () => {
    const encoded = [...OBJECT_KEY].map((one) => `%${one.charCodeAt(0).toString(16)}`).join('')
    for (const path of OF_KEY(encoded)) expect((await answered(path))[0], path).toBe(200)
  })

  test.each([
    '',
    '0',
    TXID.slice(1),
    `${TXID}0`,
    `0x${TXID}`,
    `0x${TXID.slice(2)}`,
    `g${TXID.slice(1)}`,
    `${TXID}i0`,
    `%20${TXID}`,
    `${TXID}%0A`,
    `${TXID}%00`,
    '%FF',
    '%',
    '%zz',
    '%2F',
    '%D9%A3',
    '%E2%84%AA',
    'x'.repeat(15_000),
    '..',
    '__proto__',
    'null',
    '[object%20Object]',
  ])('%j is neither', async (text) => {
    // The router, and every client, reads `..` as the path above.
    if (text !== '..') for (const path of OF_TXID(text)) await refuses(path, 400, TXID_FORM)
    if (text !== '..') for (const path of OF_KEY(text)) await refuses(path, 400, KEY_FORM)
    expect(world.views.asked).toEqual([])
  })
})

describe('rule 3: vout [pairing 7 rule 3] [pairing 8 vout]', () => {
  test.each(['-1', '4294967296', '9007199254740991', '9007199254740993', '9'.repeat(300)])(
    '%s is invalid',
    (vout) => refuses(`/pairing/carriers/${TXID}/${vout}`, 400, 'vout is invalid'),
  )
  test.each(['0', '4294967295'])('%s is looked up', async (vout) => {
    await refuses(`/pairing/carriers/${TXID}/${vout}`, 404, 'carrier not found')
    expect(world.views.asked).toEqual([`carrier ${TXID}:${vout}`])
  })
  test('is checked after the txid', () => refuses('/pairing/carriers/00/-1', 400, TXID_FORM))
})

describe('rule 4: limit [pairing 7 rule 4] [pairing 8 limit]', () => {
  test.each(['0', '-1', '201', '4294967296', '9'.repeat(300)])(
    '%s is refused, not clamped',
    async (limit) => {
      for (const path of LISTS) await refuses(`${path}&limit=${limit}`, 400, LIMIT)
      expect(world.views.asked).toEqual([])
    },
  )
  test.each(['1', '200', '0200'])('%s is a limit', async (limit) => {
    for (const path of LISTS) expect((await answered(`${path}&limit=${limit}`))[0], path).toBe(200)
    expect(world.views.asked).toContain(`objects ${Number(limit) + 1}`)
  })
})

describe('rule 5: the search query [pairing 7 rule 5]', () => {
  const search = '/pairing/verified/search'
  test.each([
    '',
    '?q=',
    '?q',
    '?q=%20%09%0A',
    '?q=a&q=b',
    `?q=${'a'.repeat(129)}`,
    `?q=${'%C3%A9'.repeat(129)}`,
    `?q=${'%F0%9F%94%91'.repeat(129)}`,
  ])('%j has a length that is refused [pairing 8 search q length]', (query) =>
    refuses(`${search}${query}`, 400, LENGTH),
  )
  test.each([
    'a b',
    'a/b',
    'a,b',
    "'",
    '"',
    '%',
    '*',
    '\\',
    'é',
    '٣',
    '\0',
    '\u212a',
    'a\nb',
    '<',
    '+',
  ])('%j is not supported [pairing 8 search q characters]', (query) =>
    refuses(`${search}?q=${encodeURIComponent(query)}`, 400, CHARACTERS),
  )
  test('what is not percent-encoded UTF-8 is not supported', async () => {
    for (const query of ['%zz', '%FF']) await refuses(`${search}?q=${query}`, 400, CHARACTERS)
  })
  test('a character beyond the first 65,536 is one character', () =>
    refuses(`${search}?q=${'%F0%9F%94%91'.repeat(128)}`, 400, CHARACTERS))
  test('every supported character, and 128 of them, trimmed [pairing 8 search q length] [pairing 8 search q characters]', async () => {
    const every = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789:._-'
    const longest = every.padEnd(128, 'a')
    const [status, body] = await answered(`${search}?q=%20%C2%A0${longest}%09`)
    expect([status, JSON.parse(body).data.query]).toEqual([200, longest])
    expect(world.views.asked).toEqual([`search ${longest} 26`])
  })
  test('is checked before any look-up', async () => {
    await refuses(`${search}?q=a!`, 400, CHARACTERS)
    expect(world.views.asked).toEqual([])
  })
})

describe('rule 7: missing records [pairing 7 rule 7]', () => {
  test.each(['-1', '-99999', '0', '106', '9007199254740993', '9'.repeat(300)])(
    'a height of %s reaches the query, and is 404',
    (height) => refuses(`/pairing/agreement/${height}`, 404, 'checkpoint not found'),
  )
  test('on either surface', async () => {
    await refuses(`/pairing/objects/${ABSENT}`, 404, 'object not found')
    await refuses(`/pairing/verified/objects/${ABSENT}`, 404, 'object not found')
  })
  test('a carrier is that exact output', () =>
    refuses(`/pairing/carriers/${QUIET_TXID}/1`, 404, 'carrier not found'))
})

describe('rule 8: events before the transaction [pairing 7 rule 8]', () => {
  test('a recorded transaction without events answers with none', async () => {
    const [status, body] = await answered(`/pairing/events/${QUIET_TXID}`)
    expect([status, body]).toEqual([200, JSON.stringify({ txid: QUIET_TXID, events: [] })])
    expect(world.views.asked).toEqual([`events ${QUIET_TXID}`, `transaction ${QUIET_TXID}`])
  })
  test('the transaction is looked up only then', async () => {
    await answered(`/pairing/events/${TXID}`)
    expect(world.views.asked).toEqual([`events ${TXID}`])
  })
  test('404 is for one that is not recorded at all', async () => {
    await refuses(`/pairing/events/${ABSENT}`, 404, 'transaction not found')
    await refuses(`/pairing/transactions/${ABSENT}`, 404, 'transaction not found')
  })
})

describe('rule 12: precedence [pairing 7 rule 12]', () => {
  test.each([
    ['a bad txid and a vout that is not a number', '/carriers/00/abc', VALIDATION],
    ['a bad txid and a bad vout', '/carriers/00/-1', TXID_FORM],
    ['a bad address and a bad limit', '/verified/addresses/x?limit=0', ADDRESS],
    ['a bad address and a limit that is not a number', '/verified/addresses/x?limit=x', VALIDATION],
    ['a bad query and a bad limit', '/verified/search?q=!&limit=0', CHARACTERS],
    ['no query and a bad limit', '/verified/search?limit=0', LENGTH],
    ['a bad query and a limit that is not a number', '/verified/search?q=!&limit=', VALIDATION],
  ])('%s', async (_what, path, message) => {
    await refuses(`/pairing${path}`, 400, message)
    await refuses(`/pairing${path}`, 400, message, bare)
  })
  test('a 404 escapes ahead of a verification failure', () =>
    refuses(`/pairing/verified/objects/${ABSENT}`, 404, 'object not found', bare))
  test('an error of the query is not a 503 either', async () => {
    const other = await openPipelines()
    other.views.object = () => {
      throw new Error('the disk is gone')
    }
    const { statusCode, body } = await other.get(`/pairing/verified/objects/${OBJECT_KEY}`)
    expect([statusCode, body]).toEqual([
      500,
      '{"statusCode":500,"message":"Internal server error"}',
    ])
    await other.close()
  })
})

describe('everything else is not found [pairing 7 shape 1]', () => {
  test.each([
    ['GET', '/'],
    ['GET', '/pairing'],
    ['GET', '/pairing/'],
    ['GET', '/pairing/verified'],
    ['GET', '/pairing/verified/addresses'],
    ['GET', '/pairing/search'],
    ['GET', '/pairing/carriers/a'],
    ['GET', `/pairing/objects/${OBJECT_KEY}/`],
    ['GET', '/ready/'],
    ['GET', '/Pairing/objects'],
    ['POST', '/pairing/objects'],
    ['PUT', '/ready'],
    ['DELETE', `/pairing/agreement/${TIP}`],
    ['OPTIONS', '/pairing/verified/search'],
    ['PATCH', '/nothing'],
  ] as const)('%s %s', async (method, url) => {
    for (const query of ['', '?limit=abc']) {
      const { statusCode, body } = await world.app.inject({ method, url: url + query })
      expect([statusCode, body]).toEqual([404, refusal(404, `Cannot ${method} ${url}`)])
    }
  })
  test('HEAD follows GET, without the body', async () => {
    for (const [url, status] of [
      ['/ready', 200],
      ['/pairing/objects/0', 400],
    ] as const) {
      const { statusCode, body } = await world.app.inject({ method: 'HEAD', url })
      expect([statusCode, body], url).toEqual([status, ''])
    }
  })
})
