/** JSON as it is in the log, in lines; it is scrolled within itself. */
export const RecordValue = ({ value }: { value: unknown }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys.
  <pre class="told" tabIndex={0}>
    {JSON.stringify(value, null, 2)}
  </pre>
)
