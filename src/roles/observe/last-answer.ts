/**
 * For a metric whose value must be asked for: a scrape gets the last answer and begins the next
 * question, so that it never waits for a part that is away. Null: no answer yet, or none the last
 * time.
 */
export function lastAnswer<T>(ask: () => Promise<T>): () => T | null {
  let last: T | null = null
  let isAsking = false
  const begin = () => {
    if (isAsking) return
    isAsking = true
    ask()
      .then(
        (answer) => {
          last = answer
        },
        () => {
          last = null
        },
      )
      .finally(() => {
        isAsking = false
      })
  }
  begin()
  return () => {
    begin()
    return last
  }
}
