import { useEffect, useMemo } from 'preact/hooks'

/** Ends with the component: a step that is no longer on the page must do nothing. */
export function useStepSignal(): AbortSignal {
  const step = useMemo(() => new AbortController(), [])
  useEffect(() => () => step.abort(), [step])
  return step.signal
}
