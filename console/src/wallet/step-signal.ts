import { useLayoutEffect, useMemo } from 'preact/hooks'

/**
 * Ends with the component: a step that is no longer on the page must do nothing. A later effect would not
 * end one that is gone before the first paint.
 */
export function useStepSignal(): AbortSignal {
  const step = useMemo(() => new AbortController(), [])
  useLayoutEffect(() => () => step.abort(), [step])
  return step.signal
}
