import type { OrderWorkerOptions } from '../../../src/actors/order-worker-options.ts'
import { marketRules } from '../../../src/domain/catalog/market-rules.ts'
import { proofsHere } from '../../../src/operator/audit/proofs-here.ts'

/** For an order worker whose questions go unanswered; a fault of an order is thrown. */
export const idleWorker = (partitions: number): OrderWorkerOptions => ({
  network: 'regtest',
  partitions,
  marketOf: marketRules,
  proofs: proofsHere,
  ask: () => {},
  renew: () => {},
  sweep: () => {},
  onDisagreement: () => {},
  onFault: (error) => {
    throw error
  },
  pace: async () => {},
})
