import { Counter } from 'prom-client'
import type { OpenWorker, WorkerOutput } from '../../ports/log/event-log.ts'
import type { Metrics } from './metrics.ts'

/** Workers whose dead letters are counted: records that could be neither understood nor written. */
export function countDeadLetters(
  { registry }: Pick<Metrics, 'registry'>,
  open: OpenWorker,
): OpenWorker {
  const letters = new Counter({
    name: 'market_dead_letters_total',
    help: 'Records of the inbox that became dead letters.',
    registers: [registry],
  })
  const counted = (output: WorkerOutput): WorkerOutput => {
    letters.inc(output.dead.length)
    return output
  }
  return async (state) => {
    const worker = await open(state)
    const setAside = worker.setAside?.bind(worker)
    return {
      step: async (batch) => counted(await worker.step(batch)),
      ...(setAside && {
        setAside: async (record, reason) => counted(await setAside(record, reason)),
      }),
      committed: () => worker.committed(),
      close: () => worker.close(),
    }
  }
}
