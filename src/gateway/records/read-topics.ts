import type { RecordBrowser } from '../../ports/log/record-browser.ts'
import type { TopicList } from '../../schemas/api/records.ts'

/** @throws StorageUnavailableError */
export async function readTopics(browser: RecordBrowser): Promise<TopicList> {
  const topics = await browser.topics()
  return {
    topics: topics.map(({ topic, ranges, bytes, cleanUp }) => ({
      topic,
      partitions: ranges.length,
      offsets: ranges.reduce((sum, { first, end }) => sum + end - first, 0),
      bytes,
      cleanUp: cleanUp.policy,
      keptForMs: cleanUp.afterMs,
    })),
  }
}
