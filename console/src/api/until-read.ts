const EVERY_MS = 5_000

/** What is read once: until it is there it is asked for again, as when the service starts after its page. */
export const untilRead = {
  staleTime: Number.POSITIVE_INFINITY,
  refetchInterval: ({ state }: { state: { data: unknown } }): number | false =>
    state.data === undefined && EVERY_MS,
}
