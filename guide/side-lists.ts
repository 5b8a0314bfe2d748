import type { OperationsPage, Reference } from './reference/pages.ts'
import type { Kind, Page } from './source/pages.ts'

/** A group of links beside every page. */
export interface PageList {
  name: string
  isOpen: boolean
  pages: { title: string; url: string }[]
}

/** The kinds of the guide: open is that of the page, and all on the first page. */
export const guideLists = (kinds: readonly Kind[], page: Pick<Page, 'kind'> | null): PageList[] =>
  kinds.map(({ name, pages }) => ({
    name,
    pages,
    isOpen: page === null || page.kind === '' || page.kind === name,
  }))

/** The pages of the reference, and the operations of the one that is shown. */
export function referenceLists(
  { pages }: Reference,
  page: Pick<OperationsPage, 'title' | 'operations'> | null,
): PageList[] {
  const all = { name: 'API', isOpen: true, pages: [{ title: 'Overview', url: '/docs/' }, ...pages] }
  if (page === null) return [all]
  const operations = page.operations.map(({ summary, url }) => ({ title: summary, url }))
  return [{ name: page.title, isOpen: true, pages: operations }, all]
}
