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

/**
 * A button whose act cannot be undone: it asks once more. The way to leave it is where the button was, and
 * as wide, so that a double click does nothing.
 */
export function SureButton({ label, sure, not = 'No', isBusy, act }: Sure) {
  const [minWidth, ask] = useState<number | null>(null)
  const isAsked = minWidth !== null
  const sureOfIt = () => {
    ask(null)
    act()
  }
  return (
    <>
      <button
        type="button"
        class="plain"
        disabled={isBusy && !isAsked}
        style={{ minWidth }}
        onClick={({ currentTarget }) => ask(isAsked ? null : currentTarget.offsetWidth)}
      >
        {isAsked ? not : label}
      </button>
      {isAsked && (
        <button type="button" class="plain" disabled={isBusy} onClick={sureOfIt}>
          {sure}
        </button>
      )}
    </>
  )
}
