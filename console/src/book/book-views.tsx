import { changeTo, VIEWS, type ViewName } from './book-query.ts'

interface Views {
  view: ViewName
  change(changes: Record<string, string | null>): void
}

/** Asks, bids, what was sold, or all of it. */
export const BookViews = ({ view, change }: Views) => (
  <fieldset class="views">
    <legend class="unseen">Orders that are shown</legend>
    {(Object.keys(VIEWS) as ViewName[]).map((one) => (
      <button
        type="button"
        class="plain"
        key={one}
        aria-pressed={one === view}
        onClick={() => change(changeTo(one))}
      >
        {VIEWS[one].label}
      </button>
    ))}
  </fieldset>
)
