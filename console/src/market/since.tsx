interface Read {
  data: { from: string | null } | undefined
  isPlaceholderData: boolean
}

/** Where the range begins that a statistic was read of: it ends now. Or that it is of what was asked for before. */
export function Since({ query: { data, isPlaceholderData } }: { query: Read }) {
  if (isPlaceholderData) return <p class="quiet">Loading… Until then: what was read before.</p>
  if (!data?.from) return null
  return (
    <p class="quiet">
      Since <time dateTime={data.from}>{data.from.slice(0, 16).replace('T', ' ')}</time> UTC.
    </p>
  )
}
