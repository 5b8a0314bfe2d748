import { UnexpectedAnswerError } from './errors/client-errors.ts'
import type { Bounds, ItemOf, PageLike } from './requests/routes.ts'

/** Every list takes a page of so many. */
const PAGE_SIZE = 100

/**
 * A list that is read as it is iterated, page after page, by cursor. Each iteration begins at its
 * first page. What is added or removed meanwhile shifts nothing: a cursor is a place, not a count.
 */
export class List<Page extends PageLike> implements AsyncIterable<ItemOf<Page>> {
  readonly #read: (cursor: string | undefined, size: number | undefined) => Promise<Page>
  readonly #limit: number
  readonly #pageSize: number | undefined

  /**
   * @param read one page, from the cursor on (undefined: the first), of so many items (undefined: as many
   * as the service chooses)
   * @throws RangeError `limit` or `pageSize` is no whole number above 0
   */
  constructor(
    read: (cursor: string | undefined, size: number | undefined) => Promise<Page>,
    { limit = Number.POSITIVE_INFINITY, pageSize }: Bounds = {},
  ) {
    if (!isCount(limit) || (pageSize !== undefined && !isCount(pageSize)))
      throw new RangeError('limit and pageSize must be whole numbers above 0')
    this.#read = read
    this.#limit = limit
    this.#pageSize = pageSize ?? (limit === Number.POSITIVE_INFINITY ? undefined : PAGE_SIZE)
  }

  /** Items, one by one; a page is requested when the one before it is used up. */
  async *[Symbol.asyncIterator](): AsyncGenerator<ItemOf<Page>, void> {
    for await (const page of this.pages()) yield* itemsOf(page)
  }

  /** Whole pages, the last one up to `limit`. `nextCursor` of one is a place to go on from later: give it as `cursor`. */
  async *pages(): AsyncGenerator<Page, void> {
    let cursor: string | undefined
    let left = this.#limit
    for (;;) {
      const page = await this.#read(cursor, this.#pageSize && Math.min(this.#pageSize, left))
      left -= itemsOf(page).length
      yield page
      if (!page.hasMore || left <= 0) return
      if (page.nextCursor === '' || page.nextCursor === cursor)
        throw new UnexpectedAnswerError('the list has more, but no place to go on from')
      cursor = page.nextCursor
    }
  }
}

const isCount = (value: number): boolean =>
  value > 0 && (Number.isSafeInteger(value) || value === Number.POSITIVE_INFINITY)

/** Every page has one array, under a name of its own. */
function itemsOf<Page extends PageLike>(page: Page): readonly ItemOf<Page>[] {
  const arrays = Object.values(page).filter((value) => Array.isArray(value))
  const [items, ...others] = arrays
  if (!items || others.length > 0)
    throw new UnexpectedAnswerError(`a page with ${arrays.length} arrays`)
  return items
}
