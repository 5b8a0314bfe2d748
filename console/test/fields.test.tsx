import { act } from 'preact/test-utils'
import { expect, test, vi } from 'vitest'
import { ActionForm } from '../src/ui/forms/action-form.tsx'
import { BytesField } from '../src/ui/forms/bytes-field.tsx'
import { FieldError } from '../src/ui/forms/faults.ts'
import { Field } from '../src/ui/forms/field.tsx'
import { pastedIn } from '../src/ui/forms/paste.ts'
import { satsIn } from '../src/ui/values/amounts.ts'
import { badRequest } from './bad-request.ts'
import { shown } from './shown.tsx'

const failedBy = async (error: unknown) => {
  const form = (failure: unknown) => (
    <ActionForm
      action={{ isPending: false, error: failure, data: undefined, reset: () => {} }}
      submit={() => {}}
      button="Build"
    >
      <Field name="price" label="Price" hint="sats" cure="Write whole sats.">
        {(ties) => <input {...ties} />}
      </Field>
      <details>
        <Field name="asset.outpoint" label="Output" cure="Write TXID:VOUT.">
          {(ties) => <input {...ties} />}
        </Field>
      </details>
      <label>
        Plain <input name="plain" />
      </label>
    </ActionForm>
  )
  return shown(form(error), [], form(null))
}
const field = (page: HTMLElement, name: string) => page.querySelector(`[name="${name}"]`)
const describedAs = (page: HTMLElement, name: string) =>
  (field(page, name)?.getAttribute('aria-describedby') ?? '')
    .split(' ')
    .map((id) => document.getElementById(id)?.textContent)

test('a field whose form is refused says what to write, at the field, and has the focus', async () => {
  const page = await failedBy(badRequest('VALIDATION_FAILED', 'price: must be decimal digits'))
  expect(describedAs(page, 'price')).toEqual(['sats', 'Write whole sats.'])
  expect(field(page, 'price')?.getAttribute('aria-invalid')).toBe('true')
  expect(document.activeElement).toBe(field(page, 'price'))
  expect(page.querySelector('.trouble')).toBeNull()
})

test('another refusal says why, and then what to write; a part is of the field that holds it', async () => {
  const page = await failedBy(badRequest('QUOTE_REFUSED', 'asset.outpoint.vout: is spent'))
  expect(describedAs(page, 'asset.outpoint')).toEqual(['Is spent. Write TXID:VOUT.'])
  expect(page.querySelector('details')?.open).toBe(true)
})

test('all faults of a failure are said, each at its field', async () => {
  const page = await failedBy(
    badRequest('VALIDATION_FAILED', 'price: too small', 'asset: is missing'),
  )
  expect(describedAs(page, 'price')).toContain('Write whole sats.')
  expect(describedAs(page, 'asset.outpoint')).toContain('Write TXID:VOUT.')
  expect(document.activeElement).toBe(field(page, 'price'))
})

test('the header names the field of a failure whose text does not', async () => {
  const failure = Object.assign(badRequest('QUOTE_REFUSED', 'too dear'), { param: 'price' })
  expect(describedAs(await failedBy(failure), 'price')).toContain('Too dear. Write whole sats.')
})

test('what the page finds by itself is at its field too', async () => {
  const page = await failedBy(new FieldError('price', 'It is empty.'))
  expect(describedAs(page, 'price')).toContain('It is empty. Write whole sats.')
})

test('what is of no field is below the form, and so is a field without a place for it', async () => {
  const page = await failedBy(badRequest('QUOTE_REFUSED', 'insufficient funds'))
  expect(page.querySelector('[role="alert"]')?.textContent).toBe('insufficient funds')
  const plain = await failedBy(badRequest('VALIDATION_FAILED', 'plain: must be text'))
  expect(describedAs(plain, 'plain')).toEqual(['plain: must be text'])
  expect(document.activeElement).toBe(field(plain, 'plain'))
})

const answered = { isPending: false, error: null, data: 'of the form as it was' as const }
const asked = { isPending: true, error: null, data: undefined }
const refused = { isPending: false, error: new FieldError('psbt', 'No.'), data: undefined }
test.each([
  ['the answer of a question goes', answered, false, 1],
  ['what is still asked is given up', asked, false, 1],
  ['what is wrong is still said', refused, false, 0],
  ['the answer of an act stays', answered, true, 0],
  ['an act goes on', asked, true, 0],
])('when a field is changed, %s', async (_, action, stays, resets) => {
  const reset = vi.fn()
  const page = await shown(
    <ActionForm action={{ ...action, reset }} submit={() => {}} button="Check" stays={stays}>
      <BytesField name="psbt" label="PSBT" />
    </ActionForm>,
  )
  await act(() => void field(page, 'psbt')?.dispatchEvent(new Event('input', { bubbles: true })))
  expect(reset).toHaveBeenCalledTimes(resets)
})

test('a file that is chosen changes its field', async () => {
  const reset = vi.fn()
  const page = await shown(
    <ActionForm action={{ ...answered, reset }} submit={() => {}} button="Check">
      <BytesField name="psbt" label="PSBT" />
    </ActionForm>,
  )
  const chosen = page.querySelector<HTMLInputElement>('input[type="file"]')
  Object.defineProperty(chosen, 'files', { value: [new File(['cHNidP8='], 'signed.psbt')] })
  chosen?.dispatchEvent(new Event('change', { bubbles: true }))
  await vi.waitFor(() => expect(reset).toHaveBeenCalled(), { timeout: 20_000 })
  expect(page.querySelector('textarea')?.value).toBe('cHNidP8=')
})

test.each([
  ['100000', '100000'],
  ['100 000', '100000'],
  ['100\u202f000', '100000'],
  ['100\u2009000', '100000'],
  ['1,000,000', '1000000'],
  ['0.001 BTC', '100000'],
  ['0.001btc', '100000'],
  ['0.001', '0.001'],
  ['1,5', '1,5'],
  ['0,001', '0,001'],
  ['01,000', '01,000'],
  ['', ''],
])('%j is read as %j sats', (typed, sats) => {
  expect(satsIn(typed)).toBe(sats)
})

const TXID = 'AB'.repeat(32)
test.each([
  [` ${TXID}i0\n`, 'inscription', `${TXID.toLowerCase()}i0`],
  [`https://ord.example/inscription/${TXID}i0`, 'inscription', `${TXID.toLowerCase()}i0`],
  [`${TXID}:1`, 'outpoint', `${TXID.toLowerCase()}:1`],
  ['bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080', 'address', undefined],
  ['BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4', 'address', undefined],
  ['1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', 'address', undefined],
])(
  'a pasted %j is an %s',
  (text, kind, found = text.startsWith('BC') ? text.toLowerCase() : text) => {
    expect(pastedIn(text)).toEqual({ kind, text: found })
  },
)

test.each(['', 'hello', TXID, `${TXID}:x`, 'cHNidP8='])('a pasted %j is none of them', (text) => {
  expect(pastedIn(text)).toBeNull()
})
