import { useHealth } from '../api/health.ts'
import { streamHeard } from '../api/heard.ts'
import { ageText } from './age.tsx'
import { useNow } from './now.ts'

/** The service is asked every 15 s; a longer silence is shown. */
const SILENT_MS = 20_000

/** What the service says of itself; where it says nothing any more, when it last did. */
export function Footer() {
  const { data: health, dataUpdatedAt, isError } = useHealth()
  const now = useNow()
  const stream = streamHeard()
  const heardAt = Math.max(dataUpdatedAt, stream.at)
  const isSilent = isError || stream.isLost || now - heardAt > SILENT_MS
  const status = isSilent ? `last heard ${ageText((now - heardAt) / 1_000)} ago` : health?.status
  return (
    <footer>
      {health
        ? `${health.network} · ${status} · block ${health.listingReadiness.coreHeight ?? 'unknown'}`
        : 'The service has not answered yet.'}{' '}
      · It never signs, broadcasts or spends.
    </footer>
  )
}
