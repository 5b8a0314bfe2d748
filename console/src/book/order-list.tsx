import { useCatalog } from '../api/catalog.ts'
import { useKept } from '../api/kept.ts'
import { Loading } from '../ui/awaited/loading.tsx'
import { BookTable } from './book-table.tsx'
import { BookTiles } from './book-tiles.tsx'
import { layout } from './looks.ts'
import type { OrderListParts } from './order-list-parts.ts'

/**
 * Orders as a table or as tiles, as was chosen; once it is known whether they have pictures, so that
 * nothing moves for those.
 */
export function OrderList(parts: OrderListParts) {
  const shown = useKept(layout)
  const catalog = useCatalog()
  if (catalog.isPending) return <Loading rows={parts.orders.length} />
  return shown === 'tiles' ? <BookTiles {...parts} /> : <BookTable {...parts} />
}
