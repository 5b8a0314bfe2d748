import { useId, useState } from 'preact/hooks'
import { useLiveField } from '../ui/forms/live-field.ts'
import { satsIn } from '../ui/values/amounts.ts'

/** Sats that the service takes: an empty field is no bound. */
const SATS = /^[0-9]{0,16}$/

interface Range {
  from: string
  to: string
  change(changes: Record<string, string | null>): void
}

/** The lowest and the highest price, beside each other in one field. */
export function PriceRange({ from, to, change }: Range) {
  return (
    <fieldset class="range">
      <legend>Price</legend>
      <div class="bounds">
        <Bound label="From, sats" of="priceMin" value={from} change={change} placeholder="from" />
        <span aria-hidden="true">–</span>
        <Bound label="To, sats" of="priceMax" value={to} change={change} placeholder="to, sats" />
      </div>
    </fieldset>
  )
}

interface BoundParts {
  label: string
  of: 'priceMin' | 'priceMax'
  value: string
  placeholder: string
  change: Range['change']
}

function Bound({ label, of, value, placeholder, change }: BoundParts) {
  const hint = useId()
  const [isSound, setSound] = useState(true)
  const field = useLiveField({
    value,
    read: (text) => {
      const sats = satsIn(text)
      return SATS.test(sats) ? sats : null
    },
    send: (sats) => change({ [of]: sats }),
    isSound: setSound,
  })
  return (
    <span class="bound">
      <input
        {...field}
        name={of}
        aria-label={label}
        inputMode="decimal"
        placeholder={placeholder}
        autocomplete="off"
        maxLength={32}
        aria-invalid={!isSound}
        aria-describedby={isSound ? undefined : hint}
      />
      {!isSound && (
        <span class="hint" id={hint} role="alert">
          Write 100 000, or 0.001 BTC
        </span>
      )}
    </span>
  )
}
