import { useState } from 'preact/hooks'

/** How long each outcome is said, in the place of what was to be copied. */
const SAID_MS = { copied: 1_500, 'not copied': 5_000 } as const

/** What the last copy came to, for a moment. */
type Outcome = keyof typeof SAID_MS

export function useCopy(text: string): { outcome: Outcome | null; copy(): void } {
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const say = (what: Outcome) => {
    setOutcome(what)
    setTimeout(() => setOutcome(null), SAID_MS[what])
  }
  const copy = () =>
    void copied(text).then(
      () => say('copied'),
      () => say('not copied'),
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
