import { useEffect } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { onStreamedChange } from '../api/changes.ts'
import { notifyOf } from './browser-notice.ts'
import { addNews, clearNews, newsIn, useNews } from './news.ts'

/** What the stream of the page in front says of watched orders, over the page, and to screen readers. */
export function WatchNews() {
  const [newest, ...others] = useNews()
  useEffect(
    () =>
      onStreamedChange((change) => {
        const found = newsIn(change)
        if (!found) return
        addNews(found)
        notifyOf(found)
      }),
    [],
  )
  return (
    <div class="news" role="status" aria-label="Watched orders">
      {newest && (
        <div class="card">
          <p>
            <Link href={`/console/orders/${newest.orderId}`} onClick={clearNews}>
              {newest.words}
            </Link>
            {others.length > 0 && <> And {others.length} more.</>}
          </p>
          <p class="row">
            <Link class="button" href="/?view=watched" onClick={clearNews}>
              See what is watched
            </Link>
            <button type="button" class="plain" onClick={clearNews}>
              Dismiss
            </button>
          </p>
        </div>
      )}
    </div>
  )
}
