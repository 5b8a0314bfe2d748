import type { LinkPreview } from '../../gateway/reading/read-link-preview.ts'
import type { Clock } from '../../runtime/clock.ts'
import { withTimeout } from '../../runtime/deadline.ts'

/** How links to orders are shown. */
export interface LinkPreviews {
  /** By the id of an order; null: as the site. */
  read(id: string): Promise<LinkPreview | null>
  clock: Pick<Clock, 'sleep'>
}

/** No page waits longer for its preview: it goes out with the site's own words. */
const WITHIN_MS = 250

/** The preview of an order; null where there is none, or none in time. */
export async function previewOf(
  { read, clock }: LinkPreviews,
  id: string,
): Promise<LinkPreview | null> {
  const found = await withTimeout(clock, WITHIN_MS, read(id)).catch(() => null)
  return found === 'late' ? null : found
}

/** As `console/index.html` has them. */
const META = /(<meta\s+property="og:(title|description)"\s+content=")[^"]*(")/g

/** The page with these words where it names the site. */
export const withPreview = (page: string, preview: LinkPreview): string =>
  page.replace(META, (_, before: string, name: keyof LinkPreview, after: string) =>
    [before, escaped(preview[name]), after].join(''),
  )

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}

const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (one) => ESCAPES[one] ?? one)
