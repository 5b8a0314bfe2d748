import { useState } from 'preact/hooks'

interface Sure {
  label: string
  /** What it says once it was pressed: the second press acts. */
  sure: string
  /** How to leave it. */
  not?: string
  isBusy: boolean
  act(): void
}

/** A button whose act cannot be undone: it asks once more. */
export function SureButton({ label, sure, not = 'No', isBusy, act }: Sure) {
  const [isAsked, setAsked] = useState(false)
  if (!isAsked) {
    return (
      <button type="button" class="plain" disabled={isBusy} onClick={() => setAsked(true)}>
        {label}
      </button>
    )
  }
  const sureOfIt = () => {
    setAsked(false)
    act()
  }
  return (
    <>
      <button type="button" class="plain" disabled={isBusy} onClick={sureOfIt}>
        {sure}
      </button>
      <button type="button" class="plain" onClick={() => setAsked(false)}>
        {not}
      </button>
    </>
  )
}
