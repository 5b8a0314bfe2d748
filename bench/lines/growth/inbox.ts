import { compare } from '../../harness/line.ts'
import { withKafka } from '../../market/with-kafka.ts'
import { InboxWorker } from '../inbox/inbox-worker.ts'
import { type Growth, ofRates, sizesText } from './growth.ts'

const RECORDS = 30_000
const QUICK_RECORDS = 5_000

/** Line 3: a worker with a broker of its own for each size. */
export const growthOfInbox: Growth = (sizes, { isQuick, progress }) =>
  withKafka((openMany) =>
    withKafka(async (openFew) => {
      const records = isQuick ? QUICK_RECORDS : RECORDS
      progress(`${sizes.few} and ${sizes.many} orders onto the disks of two workers`)
      const few = await InboxWorker.open(await openFew('few'), { orders: sizes.few, records })
      const many = await InboxWorker.open(await openMany('many'), { orders: sizes.many, records })
      const about = { sizes: sizesText(sizes, 'orders'), unit: 'records/s' }
      const consumed = async (worker: InboxWorker, round: number) => {
        await worker.fill(round)
        return await worker.consumed()
      }
      progress('consuming')
      return [
        await compare(
          { ...about, ...ofRates, target: { atMost: 1.2 }, name: 'line 3' },
          (round) => consumed(many, round),
          (round) => consumed(few, round),
        ),
      ]
    }),
  )
