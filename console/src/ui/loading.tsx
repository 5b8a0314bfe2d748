/** That something is awaited: what follows it is not shown until it is there (`base.css`). */
export const Loading = ({ text = 'Loading…' }: { text?: string }) => (
  <p class="quiet loading">{text}</p>
)
