import { useState } from 'preact/hooks'

const ACKNOWLEDGED_MS = 1_500

/** Copies a text, and says for a moment that it did. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), ACKNOWLEDGED_MS)
  }
  return (
    <button type="button" class="plain" onClick={() => void copy().catch(() => setCopied(false))}>
      {isCopied ? 'Copied' : label}
    </button>
  )
}
