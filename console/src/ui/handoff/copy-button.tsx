import { useCopy } from '../use-copy.ts'

const WORDS = { copied: 'Copied', 'not copied': 'Not copied: the browser refuses' } as const

/** Copies a text, and says for a moment that it did, or that it could not. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const { outcome, copy } = useCopy(text)
  const said = outcome && WORDS[outcome]
  return (
    <>
      <button type="button" class="plain" onClick={copy}>
        {said ?? label}
      </button>
      {/* A screen reader reads no new text of the button that has the focus. */}
      <span class="unseen" role="status">
        {said}
      </span>
    </>
  )
}
