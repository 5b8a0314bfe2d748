import { expect, test } from 'vitest'
import { readMaterial } from '../../../src/domain/inspection/read-material.ts'
import { inspectText } from '../../../src/domain/verdict/inspect.ts'
import type { InspectRequest } from '../../../src/schemas/api/inspection.ts'
import { largePsbts } from '../../support/abuse/junk.ts'
import { makeAsk } from '../../support/orders/psbt-orders.ts'
import { saleEvent } from '../../support/orders/sale-event.ts'

const { psbt } = makeAsk()
/** Refused by the size of what was read of it. */
const large = largePsbts().make(0)
const hex = Buffer.from(large, 'base64').toString('hex')

/** The texts that were read as PSBTs. */
function textsRead(request: InspectRequest) {
  const texts: string[] = []
  const material = readMaterial({ request, network: 'regtest' }, (text) => {
    texts.push(text)
    return inspectText(text)
  })
  return { texts, material }
}

test.each<[string, InspectRequest, string[]]>([
  ['an order', { psbt }, [psbt]],
  ['a PSBT that is refused late', { psbt: large }, [large]],
  ['the same in hex', { psbt: hex }, [hex]],
  ['the same in an event', { event: saleEvent(large, []) }, [large]],
  ['the same with a line end behind it', { psbt: `${large}\n` }, [`${large}\n`, large]],
  ['no PSBT at all', { psbt: 'nonsense' }, ['nonsense', Buffer.from('nonsense').toString()]],
])('%s: each distinct text is read once', (_name, request, expected) => {
  expect(textsRead(request).texts).toEqual([...new Set(expected)])
})

test('a PSBT that is refused late is refused for its size, with the reason of the first reading', () => {
  const { refusedAs, inspected, problems } = textsRead({ psbt: large }).material
  expect([refusedAs, inspected]).toEqual(['PSBT_TOO_LARGE', null])
  expect(problems).toMatchObject([
    { code: 'psbt_too_large', message: 'The scripts of the PSBT are too large together.' },
  ])
})
