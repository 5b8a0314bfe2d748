interface LoadingParts {
  text?: string
  /** How many rows are expected: their places are drawn. */
  rows?: number
}

/** That something is awaited: what follows it is not shown until it is there (`base.css`). */
export const Loading = ({ text = 'Loading…', rows = 3 }: LoadingParts) => (
  <div class="loading skeleton" role="status">
    <span class="unseen">{text}</span>
    {Array.from({ length: rows }, (_, at) => (
      <span key={at} class="bone" />
    ))}
  </div>
)
