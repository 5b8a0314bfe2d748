interface Read {
  data: { from: string | null } | undefined
}

/** Where the range begins that a statistic was read of: it ends now. */
export function Since({ query: { data } }: { query: Read }) {
  if (!data?.from) return null
  return (
    <p class="quiet">
      Since <time dateTime={data.from}>{data.from.slice(0, 16).replace('T', ' ')}</time> UTC.
    </p>
  )
}
