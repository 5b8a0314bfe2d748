import type { ComponentChildren } from 'preact'
import { useNews } from '../watch/news.ts'
import {
  changeTo,
  changeToOwn,
  OWN_VIEWS,
  type OwnViewName,
  VIEWS,
  type ViewName,
} from './book-query.ts'

interface Views {
  view: ViewName | OwnViewName
  change(changes: Record<string, string | null>): void
}

/** Asks, bids, what was sold, or all of it; then what one watches, and one's own. */
export function BookViews({ view, change }: Views) {
  const news = useNews().length
  return (
    <fieldset class="views">
      <legend class="unseen">Orders that are shown</legend>
      {(Object.keys(VIEWS) as ViewName[]).map((one) => (
        <ViewButton key={one} isShown={one === view} show={() => change(changeTo(one))}>
          {VIEWS[one].label}
        </ViewButton>
      ))}
      <span class="divider" aria-hidden="true" />
      {(Object.keys(OWN_VIEWS) as OwnViewName[]).map((one) => (
        <ViewButton key={one} isShown={one === view} show={() => change(changeToOwn(one))}>
          {OWN_VIEWS[one]}
          {one === 'watched' && news > 0 && ` (${news} new)`}
        </ViewButton>
      ))}
    </fieldset>
  )
}

interface ViewButtonParts {
  isShown: boolean
  show(): void
  children: ComponentChildren
}

const ViewButton = ({ isShown, show, children }: ViewButtonParts) => (
  <button type="button" class="plain" aria-pressed={isShown} onClick={show}>
    {children}
  </button>
)
