/** The mark of the product, as on the tab of the browser. */
export const Mark = () => (
  <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="7" />
    <path d="M8 17l5 5 11-12" />
  </svg>
)
