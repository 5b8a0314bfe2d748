import { compare } from '../../harness/line.ts'
import { FIRST_PAGES } from '../pages/page-figures.ts'
import { forkPinned, OTHER_CORE } from '../processes/pinned.ts'
import { type Growth, ofRates, ofTimes, sizesText } from './growth.ts'
import { type ReadServer, ServedBook } from './served-book.ts'

const ROUND_MS = 4_000
const QUICK_ROUND_MS = 1_500

/** Line 1, and line 2 on Redis and embedded. */
export const growthOfOrderReads: Growth = async (sizes, { isQuick, progress }) => {
  const ms = isQuick ? QUICK_ROUND_MS : ROUND_MS
  progress(`${sizes.few} and ${sizes.many} orders in Redis, and in a DATA_DIR each`)
  await using few = await ServedBook.open(sizes.few)
  await using many = await ServedBook.open(sizes.many)
  using client = forkPinned({ module: 'socket-load', core: OTHER_CORE })
  const about = { sizes: sizesText(sizes, 'orders') }
  const pages = (name: string, of: (book: ServedBook) => ReadServer) =>
    compare(
      { ...about, ...ofTimes, name, unit: 'ms a page of the median shape' },
      () => of(many).pages(client),
      () => of(few).pages(client),
    )
  // What is found for such a page takes a pass over all orders: at most as many times as long.
  const firstPages = (name: string, of: (book: ServedBook) => ReadServer) =>
    compare(
      {
        ...about,
        ...ofTimes,
        target: { atMost: sizes.many / sizes.few },
        name: `${name}, ${FIRST_PAGES}`,
        unit: 'ms a first page of the median shape',
      },
      () => of(many).firstPages(client),
      () => of(few).firstPages(client),
    )
  progress('reading')
  return [
    await compare(
      { ...about, ...ofRates, name: 'line 1', unit: 'requests/s' },
      () => many.onRedis.orders(client, ms),
      () => few.onRedis.orders(client, ms),
    ),
    await pages('line 2, Redis', ({ onRedis }) => onRedis),
    await pages('line 2, embedded', ({ embedded }) => embedded),
    await firstPages('line 2, Redis', ({ onRedis }) => onRedis),
    await firstPages('line 2, embedded', ({ embedded }) => embedded),
  ]
}
