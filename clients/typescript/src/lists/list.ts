import { UnexpectedAnswerError } from '../errors/client-errors.ts'
import type { ItemOf, PageLike } from '../requests/routes.ts'

/**
 * A list that is read as it is iterated, page after page, by cursor. Each iteration begins at its
 * first page. What is added or removed meanwhile shifts nothing: a cursor is a place, not a count.
 */
export class List<Page extends PageLike> implements AsyncIterable<ItemOf<Page>> {
  readonly #read: (cursor: string | undefined) => Promise<Page>

  /** @param read one page, from the cursor on; undefined: the first */
  constructor(read: (cursor: string | undefined) => Promise<Page>) {
    this.#read = read
  }

  /** Items, one by one; a page is requested when the one before it is used up. */
  async *[Symbol.asyncIterator](): AsyncGenerator<ItemOf<Page>, void> {
    for await (const page of this.pages()) yield* itemsOf(page)
  }

  /** Whole pages. `nextCursor` of one is a place to go on from later: give it as `cursor`. */
  async *pages(): AsyncGenerator<Page, void> {
    let cursor: string | undefined
    for (;;) {
      const page = await this.#read(cursor)
      yield page
      if (!page.hasMore) return
      if (page.nextCursor === '' || page.nextCursor === cursor)
        throw new UnexpectedAnswerError('the list has more, but no place to go on from')
      cursor = page.nextCursor
    }
  }
}

/** Every page has one array, under a name of its own. */
function itemsOf<Page extends PageLike>(page: Page): readonly ItemOf<Page>[] {
  const arrays = Object.values(page).filter((value) => Array.isArray(value))
  const [items, ...others] = arrays
  if (!items || others.length > 0)
    throw new UnexpectedAnswerError(`a page with ${arrays.length} arrays`)
  return items
}
