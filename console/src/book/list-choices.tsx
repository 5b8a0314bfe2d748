import { type Kept, useKept } from '../api/kept.ts'
import { CurrencyChoice } from '../ui/values/fiat.tsx'
import { layout, unit } from './looks.ts'

/** How the list looks: kept by the browser, and no part of the address. */
export const ListChoices = () => (
  <div class="row choices">
    <CurrencyChoice />
    <Choice legend="Amounts in" of={unit} words={{ sats: 'sats', BTC: 'BTC' }} />
    <Choice legend="Orders as" of={layout} words={{ table: 'Table', tiles: 'Tiles' }} />
  </div>
)

interface ChoiceParts<T extends string> {
  legend: string
  of: Kept<T>
  words: Record<T, string>
}

function Choice<T extends string>({ legend, of, words }: ChoiceParts<T>) {
  const chosen = useKept(of)
  return (
    <fieldset class="choice">
      <legend class="unseen">{legend}</legend>
      {(Object.keys(words) as T[]).map((one) => (
        <button
          key={one}
          type="button"
          class="plain"
          aria-pressed={one === chosen}
          onClick={() => of.write(one)}
        >
          {words[one]}
        </button>
      ))}
    </fieldset>
  )
}
