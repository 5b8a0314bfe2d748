import { useQuery } from '@tanstack/preact-query'

/** Whether this service runs its own chain: then there is a page with its controls. */
export function useIsDevnet(): boolean {
  const { data } = useQuery({
    queryKey: ['settings'],
    queryFn: async ({ signal }) => {
      const answer = await fetch('/console/settings.json', { signal })
      const told: unknown = await answer.json()
      return typeof told === 'object' && told !== null && 'isDevnet' in told && told.isDevnet
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
  return data === true
}
