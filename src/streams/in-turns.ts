import { from, Observable, type ObservableInput, type OperatorFunction } from 'rxjs'

/**
 * One step at a time: what comes while a step is under way is folded into one thing that waits,
 * and is handed over whole when the step is done. So nothing queues without bound where `fold` is
 * bounded, and nothing is dropped that `fold` keeps.
 */
export const inTurns =
  <Item, Waiting, Result>(
    fold: (waiting: Waiting | null, item: Item) => Waiting,
    step: (waited: Waiting) => ObservableInput<Result>,
  ): OperatorFunction<Item, Result> =>
  (source) =>
    new Observable((subscriber) => {
      let waiting: Waiting | null = null
      let busy = false
      let ended = false
      const next = () => {
        if (busy) return
        if (waiting === null) {
          if (ended) subscriber.complete()
          return
        }
        const waited = waiting
        waiting = null
        busy = true
        subscriber.add(
          from(step(waited)).subscribe({
            next: (result) => subscriber.next(result),
            error: (error) => subscriber.error(error),
            complete: () => {
              busy = false
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
