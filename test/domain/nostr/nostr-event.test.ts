import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { verifiedSymbol } from 'nostr-tools/pure'
import * as ecc from 'tiny-secp256k1'
import { describe, expect, test } from 'vitest'
import { EventRefusedError, readSaleEvent } from '../../../src/domain/nostr/nostr-event.ts'
import { notesAt } from '../../../src/domain/nostr/sale-claims.ts'
import { secretOf } from '../../support/chain/keys.ts'
import { makeAsk } from '../../support/orders/psbt-orders.ts'
import { wildEvents } from '../../support/vectors.ts'

const secret = secretOf('publisher')
const pubkey = Buffer.from(ecc.xOnlyPointFromScalar(secret)).toString('hex')
const TXID = '11'.repeat(32)
const TAGS = [
  ['n', 'regtest'],
  ['t', 'sell'],
  ['i', `${TXID}i0`],
  ['u', `${TXID}:1`],
  ['s', '25000'],
  ['x', 'market'],
]

const CONTENT = makeAsk().psbt

/** An event with a valid id and signature, whatever its content. */
function signed(parts: Record<string, unknown> = {}): Record<string, unknown> {
  const event = {
    pubkey,
    created_at: 1_700_000_000,
    kind: 802,
    tags: TAGS,
    content: CONTENT,
    ...parts,
  }
  const text = JSON.stringify([
    0,
    event.pubkey,
    event.created_at,
    event.kind,
    event.tags,
    event.content,
  ])
  const id = createHash('sha256').update(text).digest()
  const sig = Buffer.from(ecc.signSchnorr(id, secret)).toString('hex')
  return { ...event, id: id.toString('hex'), sig }
}

const refused = (event: unknown) => {
  try {
    readSaleEvent(event, 'regtest')
    return 'accepted'
  } catch (error) {
    if (!(error instanceof EventRefusedError)) throw error
    return `${error.code}: ${error.message}`
  }
}
const withTag = (name: string, ...value: string[]) => [
  ...TAGS.filter(([tag]) => tag !== name),
  [name, ...value],
]

describe('a valid event', () => {
  test('gives its PSBT and its claims', () => {
    const event = signed()
    expect(readSaleEvent(event, 'regtest')).toEqual({
      eventId: event['id'],
      eventPubkey: pubkey,
      psbt: event['content'],
      claimedPriceSats: '25000',
      claimedInscriptionId: `${TXID}i0`,
      claimedOutpoint: { txid: TXID, vout: 1 },
      claimedTxid: null,
      claimedSide: 'ASK',
      expiresAt: null,
      notes: [],
    })
  })

  test('without tags claims nothing and counts as of this network', () => {
    expect(readSaleEvent(signed({ tags: [] }), 'mainnet')).toMatchObject({
      claimedPriceSats: null,
      claimedInscriptionId: null,
      claimedOutpoint: null,
      claimedSide: null,
      notes: [],
    })
  })

  test('fields that NIP-01 does not name are ignored', () => {
    expect(refused({ ...signed(), seen_on: ['wss://relay'] })).toBe('accepted')
  })

  test('what its writer escapes is hashed as NIP-01 writes it', () => {
    expect(refused(signed({ content: '\b\t\n\f\r"\\/\u2028é😀 ' }))).toBe('accepted')
  })
})

test('every character is accepted that JSON and NIP-01 write alike, and only these', () => {
  const escapedByBoth = '\b\t\n\f\r'
  for (let code = 0; code < 0x100; code += 1) {
    const char = String.fromCharCode(code)
    const isAccepted = code >= 0x20 || escapedByBoth.includes(char)
    const answers = [refused(signed({ content: char })), refused(signed({ tags: [['x', char]] }))]
    const expected = isAccepted ? 'accepted' : expect.stringContaining('not defined the same way')
    expect(answers, `U+${code.toString(16)}`).toEqual([expected, expected])
  }
})

describe('the side that the tag t names', () => {
  test.each<[string, string[][], string | null]>([
    ['sell', [['t', 'sell']], 'ASK'],
    ['buy', [['t', 'buy']], 'BID'],
    ['another word, which is a hashtag', [['t', 'Sell']], null],
    [
      'a hashtag before it',
      [
        ['t', 'bitcoin'],
        ['t', 'buy'],
      ],
      'BID',
    ],
    [
      'both: the first',
      [
        ['t', 'buy'],
        ['t', 'sell'],
      ],
      'BID',
    ],
    ['no value', [['t']], null],
  ])('%s', (_, tags, side) => {
    expect(readSaleEvent(signed({ tags }), 'regtest').claimedSide).toBe(side)
  })
})

describe('when it expires (NIP-40)', () => {
  const NOW = 1_700_000_000
  const notes = (...value: string[]) =>
    notesAt(readSaleEvent(signed({ tags: [['expiration', ...value]] }), 'regtest'), NOW * 1_000)
  test.each<[string, string[], string[]]>([
    ['before now', [`${NOW - 1}`], ['event_expired']],
    ['now', [`${NOW}`], ['event_expired']],
    ['after now', [`${NOW + 1}`], ['event_expires']],
    ['at zero', ['0'], ['event_expired']],
    ['in a time of milliseconds', [`${NOW}000`], ['expiration_malformed']],
    ['in words', ['tomorrow'], ['expiration_malformed']],
    ['with a fraction', ['1.5'], ['expiration_malformed']],
    ['before 1970', ['-1'], ['expiration_malformed']],
    ['no value', [], []],
  ])('%s', (_, value, expected) => {
    expect(notes(...value)).toEqual(expected)
  })
})

describe('unreadable claims are recorded, and nothing is guessed', () => {
  test.each([
    ['s', ['4672.5'], 'price_claim_malformed'],
    ['s', ['01'], 'price_claim_malformed'],
    ['s', ['-1'], 'price_claim_malformed'],
    ['s', ['2100000000000001'], 'price_claim_malformed'],
    ['s', [''], 'price_claim_malformed'],
    ['u', [TXID], 'utxo_without_vout'],
    ['u', [`${TXID}:`], 'utxo_claim_malformed'],
    ['u', [`${TXID}:01`], 'utxo_claim_malformed'],
    ['u', [`${TXID}:4294967296`], 'utxo_claim_malformed'],
    ['u', [`${TXID.toUpperCase().replaceAll('1', 'A')}:0`], 'utxo_claim_malformed'],
    ['i', ['0'], 'inscription_claim_malformed'],
    ['i', [`${TXID}i`], 'inscription_claim_malformed'],
  ])('%s = %j', (name, value, note) => {
    const read = readSaleEvent(signed({ tags: withTag(name, ...value) }), 'regtest')
    expect(read.notes).toEqual([note])
    const claims = {
      s: read.claimedPriceSats,
      u: read.claimedOutpoint,
      i: read.claimedInscriptionId,
    }
    expect(Object.entries(claims).find(([tag]) => tag === name)?.[1]).toBeNull()
  })

  test('a tag without a value claims nothing, and the first one of a name counts', () => {
    expect(readSaleEvent(signed({ tags: [['s']] }), 'regtest')).toMatchObject({
      claimedPriceSats: null,
      notes: [],
    })
    const twice = signed({
      tags: [
        ['s', '1'],
        ['s', '2'],
      ],
    })
    expect(readSaleEvent(twice, 'regtest').claimedPriceSats).toBe('1')
  })
})

describe('the network', () => {
  test.each(['mainnet', 'signet', 'testnet', '', 'Regtest', 'x'.repeat(1_000)])(
    '%s is another',
    (name) => {
      const answer = refused(signed({ tags: withTag('n', name) }))
      expect(answer).toMatch(/^WRONG_NETWORK: the event is of network "/)
      expect(answer.length).toBeLessThan(160)
    },
  )

  test('a second tag n counts too', () => {
    const both = signed({
      tags: [
        ['n', 'regtest'],
        ['n', 'mainnet'],
      ],
    })
    expect(refused(both)).toContain('WRONG_NETWORK')
  })
})

describe('what is not valid is refused', () => {
  const good = signed()
  const other = signed({ content: 'another' })

  test.each<[string, unknown, string]>([
    ['another kind', signed({ kind: 1002 }), 'kind 1002 is not a sale: only 802 is accepted'],
    ['the testnet kind', signed({ kind: 1802 }), 'kind 1802 is not a sale: only 802 is accepted'],
    [
      'another id',
      { ...good, id: other['id'] },
      'the id of the event is not the hash of what it says',
    ],
    [
      'other content',
      { ...good, content: 'other' },
      'the id of the event is not the hash of what it says',
    ],
    [
      'the signature of another event',
      { ...good, sig: other['sig'] },
      'the signature of the event is not valid for its key',
    ],
    [
      'a signature of zeros',
      { ...good, sig: '00'.repeat(64) },
      'the signature of the event is not valid for its key',
    ],
    [
      'upper case',
      { ...good, id: String(good['id']).toUpperCase().replace('0', 'A') },
      'the event is malformed: id: must be 64 lowercase hex digits',
    ],
    ['a kind in text', { ...good, kind: '802' }, 'the event is malformed: kind: '],
    ['a time with a fraction', signed({ created_at: 1.5 }), 'the event is malformed: created_at: '],
    ['a time before 1970', signed({ created_at: -1 }), 'the event is malformed: created_at: '],
    [
      'an impossible time',
      signed({ created_at: 2 ** 32 }),
      'created_at is not a time in Unix seconds',
    ],
    ['a tag of numbers', signed({ tags: [['s', 1]] }), 'the event is malformed: tags.0.1: '],
    ['a tag in a tag', signed({ tags: [['s', ['1']]] }), 'the event is malformed: tags.0.1: '],
    [
      'too many tags',
      signed({ tags: Array.from({ length: 101 }, () => ['a']) }),
      'the event has more than 100 tags',
    ],
    [
      '10,000 tags',
      signed({ tags: Array.from({ length: 10_000 }, () => ['a']) }),
      'the event is malformed: tags: ',
    ],
    [
      'a tag of many items',
      signed({ tags: [Array.from({ length: 17 }, () => 'a')] }),
      'a tag has more than 16 items',
    ],
    [
      'a long item',
      signed({ tags: [['a', 'x'.repeat(1_025)]] }),
      'an item of a tag is longer than 1024 characters',
    ],
    [
      'long content',
      signed({ content: 'x'.repeat(140_001) }),
      'the content is longer than 140000 characters',
    ],
    [
      'a control character',
      signed({ content: '\u0001' }),
      'the event holds characters whose hash is not defined the same way everywhere',
    ],
    [
      'a lone surrogate',
      signed({ content: '\ud800' }),
      'the event holds characters whose hash is not defined the same way everywhere',
    ],
    [
      'a null character in a tag',
      signed({ tags: [['x', '\u0000']] }),
      'the event holds characters whose hash is not defined the same way everywhere',
    ],
    ['nothing', null, 'the event is malformed: the event: '],
    ['an array', [], 'the event is malformed: the event: '],
    ['no content', { ...good, content: undefined }, 'the event is malformed: content: '],
  ])('%s', (_, event, message) => {
    expect(refused(event)).toContain(`INVALID_EVENT: ${message}`)
  })

  test('another library’s mark that it verified the event is not trusted', () => {
    expect(refused({ ...good, content: 'other', [verifiedSymbol]: true })).not.toBe('accepted')
    expect(refused({ ...good, sig: '00'.repeat(64), [verifiedSymbol]: true })).not.toBe('accepted')
  })

  test('a key that is not a point of the curve', () => {
    expect(refused(signed({ pubkey: 'ff'.repeat(32) }))).toContain('signature of the event')
  })

  test('any change of any field of a valid event', () => {
    const change = fc.oneof(
      fc.record({ pubkey: fc.stringMatching(/^[0-9a-f]{64}$/) }),
      fc.record({ created_at: fc.nat() }),
      fc.record({ kind: fc.nat({ max: 65_535 }) }),
      fc.record({ tags: fc.array(fc.array(fc.string(), { maxLength: 4 }), { maxLength: 4 }) }),
      fc.record({ content: fc.string() }),
      fc.record({ sig: fc.stringMatching(/^[0-9a-f]{128}$/) }),
    )
    fc.assert(
      fc.property(change, (changed) => {
        const event = { ...good, ...changed }
        const isSame = JSON.stringify(event) === JSON.stringify(good)
        expect(refused(event) === 'accepted').toBe(isSame)
      }),
      { numRuns: Number(process.env['FUZZ_RUNS'] ?? 200) },
    )
  })

  test('any JSON gives a refusal, and no other error', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        expect(refused(value)).not.toBe('accepted')
        expect(refused({ ...good, tags: value })).not.toBe('accepted')
      }),
      { numRuns: Number(process.env['FUZZ_RUNS'] ?? 500) },
    )
  })
})

describe('real events', () => {
  test('the kind 802 one is valid, claims a price of 10^8 times as much, and a utxo without its index', () => {
    const { event, psbt, inscriptionId, txid } = wildEvents().sale
    expect(readSaleEvent(event, 'mainnet')).toEqual({
      eventId: event.id,
      eventPubkey: event.pubkey,
      psbt,
      claimedPriceSats: '467200000000',
      claimedInscriptionId: inscriptionId,
      claimedOutpoint: null,
      claimedTxid: txid,
      claimedSide: 'ASK',
      expiresAt: null,
      notes: ['utxo_without_vout'],
    })
    expect(refused(event)).toContain('WRONG_NETWORK')
  })

  test('the kind 1002 one is refused', () => {
    expect(() => readSaleEvent(wildEvents().kind1002, 'mainnet')).toThrow('kind 1002 is not a sale')
  })
})
