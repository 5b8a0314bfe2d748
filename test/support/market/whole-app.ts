import { CircleChain } from '../folds/circle-chain.ts'
import { openIndex } from '../folds/circle-runs.ts'
import { MemoryCircleStore } from '../folds/memory-circle-store.ts'
import { openTestApp, type TestApp, type TestAppOptions } from '../http/http.ts'
import { openPipelines } from '../pairing/pairing-pipeline.ts'

/** The app with all routes: those of a market, of a pairing pipeline and of the circles. */
export async function openWholeApp(options: TestAppOptions = {}): Promise<TestApp> {
  const pipelines = await openPipelines()
  const circles = await openIndex(new MemoryCircleStore(), new CircleChain(1))
  const it = await openTestApp({ ...options, pairing: pipelines.service, circles })
  return {
    ...it,
    async close() {
      await it.close()
      await pipelines.close()
    },
  }
}
