import { from, Observable, type ObservableInput, type OperatorFunction, Subscription } from 'rxjs'

export interface ConflateOptions<Waiting> {
  /** Started after each step; the next step waits until it completes. */
  after(): Observable<unknown>
  /** Whether these items must not wait for that. */
  hurries(waiting: Waiting): boolean
}

/**
 * One step at a time: items that arrive during a step are folded into one value, which the next
 * step gets whole, after the pause that `after` gives. So nothing queues without bound if `fold` is
 * bounded, and nothing that `fold` keeps is dropped.
 */
export const conflateMap =
  <Item, Waiting, Result>(
    fold: (waiting: Waiting | null, item: Item) => Waiting,
    step: (waited: Waiting) => ObservableInput<Result>,
    rest?: ConflateOptions<Waiting>,
  ): OperatorFunction<Item, Result> =>
  (source) =>
    new Observable((subscriber) => {
      let waiting: Waiting | null = null
      let busy = false
      let ended = false
      let isResting = false
      let resting = new Subscription()
      subscriber.add(() => resting.unsubscribe())
      const beginRest = ({ after }: ConflateOptions<Waiting>) => {
        isResting = true
        resting = after().subscribe({
          complete: () => {
            isResting = false
            next()
          },
        })
      }
      const next = () => {
        if (busy) return
        if (waiting === null) {
          if (ended) subscriber.complete()
          return
        }
        if (isResting && !ended && !rest?.hurries(waiting)) return
        resting.unsubscribe()
        const waited = waiting
        waiting = null
        busy = true
        subscriber.add(
          from(step(waited)).subscribe({
            next: (result) => subscriber.next(result),
            error: (error) => subscriber.error(error),
            complete: () => {
              busy = false
              if (rest) beginRest(rest)
              next()
            },
          }),
        )
      }
      subscriber.add(
        source.subscribe({
          next: (item) => {
            waiting = fold(waiting, item)
            next()
          },
          error: (error) => subscriber.error(error),
          complete: () => {
            ended = true
            next()
          },
        }),
      )
    })
