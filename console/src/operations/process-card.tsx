import type { AnswerOf } from 'psbt-market-client'
import { Identifier } from '../ui/values/identifier.tsx'
import { bytesText, durationText, rateText } from './figures.ts'

export type Operations = AnswerOf<'/api/market/admin/operations'>
type Disk = NonNullable<Operations['process']['disk']>

/** With less, the disk is named in the colour of what is wrong. */
const FEW_DAYS = 14

/** What runs here, for how long, how fast, and until when the disk lasts. */
export function ProcessCard({
  report: { build, process, rates },
}: {
  report: Pick<Operations, 'build' | 'process' | 'rates'>
}) {
  const isWhole = process.role === 'all'
  return (
    <section class="card" aria-labelledby="build">
      <h2 id="build">{isWhole ? 'This service' : 'This gateway'}</h2>
      <dl class="facts">
        <dt>Version</dt>
        <dd>{build.version}</dd>
        <dt>Commit</dt>
        <dd>
          {build.commit === 'unknown' ? (
            build.commit
          ) : (
            <Identifier id={build.commit} name="commit" />
          )}
        </dd>
        <dt>Node.js</dt>
        <dd>{build.node}</dd>
        <dt>Uptime</dt>
        <dd>{durationText(process.uptimeSeconds)}</dd>
        <dt>Requests</dt>
        <dd>{rateText(process.requestsPerSecond)}</dd>
        <dt>Imports</dt>
        <dd>{rateText(process.importsPerSecond)}</dd>
        <dt>Inbox</dt>
        <dd>records: {rateText(rates.inboxPerSecond)}</dd>
        <dt>Lifecycle</dt>
        <dd>records: {rateText(rates.lifecyclePerSecond)}</dd>
        <dt>Disk</dt>
        <dd>{process.disk ? <DiskWords disk={process.disk} /> : 'no store in this process'}</dd>
      </dl>
      {!isWhole && (
        <p class="quiet">
          Inbox and lifecycle are those of the whole service; the rest is this gateway’s own. Other
          processes say theirs at their metrics.
        </p>
      )}
    </section>
  )
}

function DiskWords({
  disk: { freeBytes, sizeBytes, storeBytes, bytesPerDay, daysLeft },
}: {
  disk: Disk
}) {
  const isLow = daysLeft !== null && daysLeft < FEW_DAYS
  return (
    <>
      {bytesText(freeBytes)} free of {bytesText(sizeBytes)}, the store has {bytesText(storeBytes)}
      <span class={isLow ? 'stale' : ''}>; {paceOf(bytesPerDay, daysLeft)}</span>
    </>
  )
}

function paceOf(bytesPerDay: number | null, daysLeft: number | null): string {
  if (bytesPerDay === null) return 'how fast it fills is known after an hour'
  if (daysLeft === null) return 'it does not fill'
  return `fills by ${bytesText(bytesPerDay)} a day: ${daysLeft} days left`
}
