import { useKept } from '../api/kept.ts'
import { BookTable } from './book-table.tsx'
import { BookTiles } from './book-tiles.tsx'
import { layout } from './looks.ts'
import type { OrderListParts } from './order-list-parts.ts'

/** Orders as a table or as tiles, as was chosen. */
export const OrderList = (parts: OrderListParts) =>
  useKept(layout) === 'tiles' ? <BookTiles {...parts} /> : <BookTable {...parts} />
