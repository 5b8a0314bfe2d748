import { useState } from 'preact/hooks'

const ACKNOWLEDGED_MS = 1_500

/** What the last copy came to: that it was made is said for a moment, that it was not until the next. */
type Outcome = 'copied' | 'not copied' | null

export function useCopy(text: string): { outcome: Outcome; copy(): void } {
  const [outcome, setOutcome] = useState<Outcome>(null)
  const copy = () =>
    void copied(text).then(
      () => {
        setOutcome('copied')
        setTimeout(() => setOutcome(null), ACKNOWLEDGED_MS)
      },
      () => setOutcome('not copied'),
    )
  return { outcome, copy }
}

/** @throws what keeps the text out: the clipboard has what it had before */
async function copied(text: string): Promise<void> {
  // Absent where the page was loaded by http from another machine.
  const clipboard: Clipboard | undefined = navigator.clipboard
  if (clipboard) await clipboard.writeText(text)
  else copySelected(text)
}

function copySelected(text: string): void {
  const before = document.activeElement
  const field = document.createElement('textarea')
  field.value = text
  // In view already: the page is not scrolled to it.
  Object.assign(field.style, { position: 'fixed', top: '0' })
  document.body.append(field)
  field.focus()
  field.select()
  const isCopied = document.execCommand('copy')
  field.remove()
  if (before instanceof HTMLElement) before.focus()
  if (!isCopied) throw new Error('the browser copies nothing')
}
