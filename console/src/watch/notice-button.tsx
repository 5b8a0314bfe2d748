import { useState } from 'preact/hooks'
import { useKept } from '../api/kept.ts'
import { allowNotices, browserNotices, canNotify } from './browser-notice.ts'

/** Has the browser say what happens while the page is in the background: asked for by a click alone. */
export function NoticeButton() {
  const isOn = useKept(browserNotices) === 'on'
  const [isRefused, setRefused] = useState(false)
  if (!canNotify()) return null
  const turn = async () => {
    if (isOn) browserNotices.write('off')
    else setRefused(!(await allowNotices()))
  }
  return (
    <>
      <button
        type="button"
        class="plain"
        aria-pressed={isOn}
        onClick={() => void turn().catch(() => setRefused(true))}
      >
        Notify me by the browser
      </button>
      {isRefused && (
        <span role="alert">The browser refuses: allow notifications in its settings.</span>
      )}
    </>
  )
}
