import { useHealth } from '../../api/health.ts'
import { streamHeard } from '../../api/heard.ts'
import { ageText } from '../values/age.tsx'
import { useFromNow } from '../values/now.ts'

/** The service is asked every 15 s; a longer silence is shown. */
const SILENT_MS = 20_000

/** What the service says of itself; where it says nothing any more, when it last did. */
export function Footer() {
  const { data: health, dataUpdatedAt, isError } = useHealth()
  const silence = useFromNow((nowMs) => {
    const stream = streamHeard()
    const silentMs = nowMs - Math.max(dataUpdatedAt, stream.at)
    const isSilent = isError || stream.isLost || silentMs > SILENT_MS
    return isSilent ? `last heard ${ageText(silentMs / 1_000)} ago` : null
  })
  const status = silence ?? health?.status
  return (
    <footer>
      {health
        ? `${health.network} · ${status} · block ${health.listingReadiness.coreHeight ?? 'unknown'}`
        : 'The service has not answered yet.'}{' '}
      · It never signs, broadcasts or spends.
    </footer>
  )
}
