import { InscriptionIdInput } from '../../schemas/scalars.ts'
import type { ShownContent } from '../content-reader.ts'
import type { Gateway } from '../gateway.ts'
import type { QueuedViews } from '../order/orders-of-output.ts'
import { RefusalError } from '../refusal.ts'

/**
 * What an inscription shows, if its owner offers it here, as the index proved, and no operator hides
 * such an order: what was hidden is not shown under another price either. Anyone may bid for any
 * inscription: a bid opens nothing, and closes nothing.
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
  const isOffered = async (hidden: boolean): Promise<boolean> => {
    const { orders } = await views.page({
      provedInscriptionId: inscriptionId,
      side: 'ASK',
      includeWithdrawn: true,
      hidden,
      sort: 'newest',
      limit: 1,
    })
    return orders.length > 0
  }

  if (await isOffered(true))
    throw new RefusalError('ORDER_HIDDEN', 'an operator of this service hides an order of it')
  if (!(await isOffered(false))) throw notFound('no order here offers this inscription')
  return await contents.read(inscriptionId, signal)
}

const notFound = (why: string): RefusalError => new RefusalError('CONTENT_NOT_FOUND', why)
