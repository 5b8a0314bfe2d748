import { useEffect, useRef } from 'preact/hooks'

/** Between a key and the request that it asks for. */
const QUIET_MS = 350

interface LiveField {
  /** What is in force: it replaces what the field has if it was changed elsewhere. */
  value: string
  /** What a text asks for; null: it is no value yet. */
  read(text: string): string | null
  send(value: string): void
  isSound?(is: boolean): void
}

/** A field whose value is in force a moment after the last key, and at once on Enter or when it is left. */
export function useLiveField({ value, read, send, isSound }: LiveField) {
  const field = useRef<HTMLInputElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>()
  const sent = useRef(value)
  useEffect(() => {
    if (value === sent.current) return
    sent.current = value
    clearTimeout(timer.current)
    if (field.current) field.current.value = value
    isSound?.(true)
  }, [value])
  useEffect(() => () => clearTimeout(timer.current), [])
  const sendNow = () => {
    clearTimeout(timer.current)
    const asked = read(field.current?.value.trim() ?? '')
    isSound?.(asked !== null)
    if (asked === null || asked === sent.current) return
    sent.current = asked
    send(asked)
  }
  return {
    ref: field,
    defaultValue: value,
    onInput: () => {
      clearTimeout(timer.current)
      timer.current = setTimeout(sendNow, QUIET_MS)
    },
    onBlur: sendNow,
    onKeyDown: ({ key }: KeyboardEvent) => {
      if (key === 'Enter') sendNow()
    },
  }
}
