import type { StoredPage } from '../../ports/views/order-views.ts'
import { InscriptionIdInput } from '../../schemas/scalars.ts'
import type { ShownContent } from '../content-reader.ts'
import type { Gateway } from '../gateway.ts'
import type { QueuedViews } from '../order/orders-of-output.ts'
import { RefusalError } from '../refusal.ts'

/** Orders looked at: those that only claim the inscription could crowd out those that offer it. */
const LOOKED_AT = 100
/** As in the page of a list: a larger one would wait behind the pages of other readers. */
const PAGE = 50

/**
 * What an inscription shows, if an order here offers it, as the index proved, and no operator hides
 * such an order: what was hidden is not shown under another price either.
 *
 * @throws RefusalError CONTENT_NOT_FOUND, CONTENT_NOT_SHOWN, ORDER_HIDDEN, OVERLOADED
 * @throws BusyError, IndexUnavailableError, StorageUnavailableError
 */
export async function readContent(
  { contents }: Pick<Gateway, 'contents'>,
  views: QueuedViews,
  id: string,
  signal: AbortSignal,
): Promise<ShownContent> {
  if (contents === null) throw notFound('this service shows no content')
  const { data: inscriptionId } = InscriptionIdInput.safeParse(id)
  if (inscriptionId === undefined) throw notFound('inscriptionId: must be <txid>i<index>')
  const named = {
    assetInscriptionId: inscriptionId,
    sort: 'newest',
    includeWithdrawn: true,
  } as const
  const offers = ({ orders }: StoredPage) =>
    orders.some(({ order }) => order.assets.some((asset) => asset.inscriptionId === inscriptionId))
  const isOfferedBy = async (hidden: boolean): Promise<boolean> => {
    let after: StoredPage['next'] = null
    for (let looked = 0; looked < LOOKED_AT; looked += PAGE) {
      const query = { ...named, hidden, limit: PAGE, ...(after && { after }) }
      const page: StoredPage = await views.page(query)
      if (offers(page)) return true
      if (page.next === null) return false
      after = page.next
    }
    return false
  }

  if (await isOfferedBy(true))
    throw new RefusalError('ORDER_HIDDEN', 'an operator of this service hides an order of it')
  const live = await views.page({ ...named, hidden: false, states: ['LIVE'], limit: 1 })
  if (!offers(live) && !(await isOfferedBy(false)))
    throw notFound('no order here offers this inscription')
  return await contents.read(inscriptionId, signal)
}

const notFound = (why: string): RefusalError => new RefusalError('CONTENT_NOT_FOUND', why)
