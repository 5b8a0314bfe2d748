import { compare, type Line } from '../harness/line.ts'
import { PARTITIONS, withKafka } from '../market/with-kafka.ts'
import { CopyingGroup } from './inbox/copying-group.ts'
import { InboxWorker } from './inbox/inbox-worker.ts'

const ORDERS = 30_000
const FULL_ORDERS = 1_000_000
const QUICK_ORDERS = 5_000
const RECORDS = 30_000
const QUICK_RECORDS = 10_000
const ROUNDS = 3

export const line: Line = {
  number: 3,
  name: 'inbox',
  work: 'spends from the inbox in Kafka to committed changes of orders, one of 100 a watched output',
  peer: 'kafkajs copying the same records to another topic, in transactions with the offsets, a partition each',
  run: ({ isQuick, isFull, progress }) =>
    withKafka(async (open) => {
      const orders = isQuick ? QUICK_ORDERS : isFull ? FULL_ORDERS : ORDERS
      const records = isQuick ? QUICK_RECORDS : RECORDS
      const opened = await open('worker')
      progress(`${orders} orders onto the disk of the worker`)
      const worker = await InboxWorker.open(opened, { orders, records })
      await using peer = await CopyingGroup.open(opened.log)
      return [
        await compare(
          {
            name: '',
            sizes: `${orders} orders, ${PARTITIONS} partitions, ${records} records a round`,
            unit: 'records/s',
            ratio: 'ours/peer',
            target: { atLeast: 0.8 },
            rounds: ROUNDS,
          },
          async (round) => {
            await worker.fill(round)
            progress(`round ${round}: ours`)
            return await worker.consumed()
          },
          async (round) => {
            await worker.fill(round)
            progress(`round ${round}: peer`)
            return await peer.copied(records)
          },
        ),
      ]
    }),
}
