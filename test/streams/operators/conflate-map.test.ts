import { delay, of, throwError, timer } from 'rxjs'
import { TestScheduler } from 'rxjs/testing'
import { expect, test } from 'vitest'
import { conflateMap } from '../../../src/streams/operators/conflate-map.ts'

const marbles = () => new TestScheduler((actual, expected) => expect(actual).toEqual(expected))
const join = (waiting: string | null, item: string) => `${waiting ?? ''}${item}`

test('what arrives during a step waits as one item, and is processed after it', () => {
  marbles().run(({ cold, expectObservable }) => {
    const source = cold('  a-bc---d---|')
    const expected = '     ---A--B---D|'
    const out = source.pipe(conflateMap(join, (waited) => of(waited).pipe(delay(3))))
    expectObservable(out).toBe(expected, { A: 'a', B: 'bc', D: 'd' })
  })
})

test('what still waits when the source ends is processed before the end', () => {
  marbles().run(({ cold, expectObservable }) => {
    const source = cold('  a-b|')
    const expected = '     ---A--(B|)'
    const out = source.pipe(conflateMap(join, (waited) => of(waited).pipe(delay(3))))
    expectObservable(out).toBe(expected, { A: 'a', B: 'b' })
  })
})

test('a step that fails ends it; a source that fails ends it', () => {
  marbles().run(({ cold, expectObservable }) => {
    const failing = cold('-a-').pipe(conflateMap(join, () => throwError(() => 'broken')))
    expectObservable(failing).toBe('-#', {}, 'broken')
    const failed = cold('-#', {}, 'gone').pipe(conflateMap(join, (waited) => of(waited)))
    expectObservable(failed).toBe('-#', {}, 'gone')
  })
})

test('unsubscribing stops the source and the step', () => {
  marbles().run(({ cold, expectObservable, expectSubscriptions }) => {
    const source = cold('a-----')
    const step = cold('  -----x')
    expectObservable(source.pipe(conflateMap(join, () => step)), '^-!').toBe('---')
    expectSubscriptions(source.subscriptions).toBe('^-!')
    expectSubscriptions(step.subscriptions).toBe('^-!')
  })
})

const resting = { after: () => timer(5), hurries: (waiting: string) => waiting.includes('x') }

test('what arrives during the pause after a step waits for its end', () => {
  marbles().run(({ cold, expectObservable }) => {
    const source = cold('  a-b-c------d----|')
    const expected = '     a----(B)---D----|'
    const out = source.pipe(conflateMap(join, (waited) => of(waited), resting))
    expectObservable(out).toBe(expected, { a: 'a', B: 'bc', D: 'd' })
  })
})

test('an urgent item ends the pause, and so does the end of the source', () => {
  marbles().run(({ cold, expectObservable }) => {
    const source = cold('  a-bx--c-|')
    const expected = '     a--B----(C|)'
    const out = source.pipe(conflateMap(join, (waited) => of(waited), resting))
    expectObservable(out).toBe(expected, { a: 'a', B: 'bx', C: 'c' })
  })
})
