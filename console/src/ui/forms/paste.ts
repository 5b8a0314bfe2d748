import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

/** What a pasted text is, by its form alone. */
export type Pasted =
  | { kind: 'inscription'; text: string }
  | { kind: 'outpoint'; text: string }
  | { kind: 'address'; text: string }

const INSCRIPTION = /^[0-9a-f]{64}i[0-9]{1,10}$/
const OUTPOINT = /^[0-9a-f]{64}:[0-9]{1,10}$/
/** Base58, or bech32 of one of the networks. */
const ADDRESS = /^(?:[123mn][1-9A-HJ-NP-Za-km-z]{25,60}|(?:bc|tb|bcrt)1[02-9ac-hj-np-z]{8,90})$/

/** The first address, outpoint or inscription id in a text, also at the end of an explorer's link. */
export function pastedIn(given: string): Pasted | null {
  const text =
    given
      .trim()
      .split(/[\s/?#]+/)
      .filter(Boolean)
      .at(-1) ?? ''
  const hex = text.toLowerCase()
  if (INSCRIPTION.test(hex)) return { kind: 'inscription', text: hex }
  if (OUTPOINT.test(hex)) return { kind: 'outpoint', text: hex }
  if (ADDRESS.test(text)) return { kind: 'address', text }
  return ADDRESS.test(hex) ? { kind: 'address', text: hex } : null
}

/** The field of each kind, by its name. */
export type PasteFields = Partial<Record<Pasted['kind'], string>>

/**
 * A paste anywhere on the page, but in a field of another form, fills the field that it is for.
 * `onPasted` hears of each that did.
 */
export function usePaste(
  place: RefObject<HTMLElement>,
  fields: PasteFields,
  onPasted: (pasted: Pasted) => void = () => {},
): void {
  const latest = useRef({ fields, onPasted })
  latest.current = { fields, onPasted }
  useEffect(() => {
    const paste = (event: ClipboardEvent) => {
      const pasted = pastedIn(event.clipboardData?.getData('text') ?? '')
      const name = pasted && latest.current.fields[pasted.kind]
      if (!pasted || !name || isElsewhere(event.target, place.current)) return
      if (!fillField(place.current, name, pasted.text)) return
      event.preventDefault()
      latest.current.onPasted(pasted)
    }
    document.addEventListener('paste', paste)
    return () => document.removeEventListener('paste', paste)
  }, [place])
}

const isElsewhere = (target: EventTarget | null, place: HTMLElement | null): boolean =>
  target instanceof Element && target.closest('input,textarea') !== null && !place?.contains(target)

/** As if it had been typed. */
export function fillField(place: HTMLElement | null, name: string, text: string): boolean {
  const field = place?.querySelector<HTMLInputElement>(`input[name="${name}"]`)
  if (!field) return false
  field.value = text
  field.dispatchEvent(new Event('input', { bubbles: true }))
  field.focus()
  return true
}
