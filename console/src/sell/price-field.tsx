import { Field } from '../ui/forms/field.tsx'

interface PriceParts {
  label: string
  change(typed: string): void
}

/** A price as people write it. */
export const PriceField = ({ label, change }: PriceParts) => (
  <Field
    name="quotedPriceSats"
    label={label}
    hint="100 000, 100,000 or 0.001 BTC"
    cure="Write whole sats, such as 100 000, or BTC with its unit, such as 0.001 BTC."
  >
    {(ties) => (
      <input
        {...ties}
        required
        autocomplete="off"
        onInput={({ currentTarget }) => change(currentTarget.value)}
      />
    )}
  </Field>
)
