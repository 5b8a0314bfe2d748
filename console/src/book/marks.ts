import { useEffect, useRef, useState } from 'preact/hooks'

/** How long a row that changed is marked. */
const MARKED_MS = 4_000

/** Orders that changed a moment ago. */
export function useMarks(): [ReadonlySet<string>, (id: string) => void] {
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set())
  const timers = useRef(new Set<ReturnType<typeof setTimeout>>())
  useEffect(() => {
    const kept = timers.current
    return () => {
      for (const timer of kept) clearTimeout(timer)
    }
  }, [])
  const mark = (id: string) => {
    setMarked((before) => new Set([...before, id]))
    const timer = setTimeout(() => {
      timers.current.delete(timer)
      setMarked((before) => new Set([...before].filter((one) => one !== id)))
    }, MARKED_MS)
    timers.current.add(timer)
  }
  return [marked, mark]
}
