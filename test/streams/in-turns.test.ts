import { delay, of, throwError } from 'rxjs'
import { TestScheduler } from 'rxjs/testing'
import { expect, test } from 'vitest'
import { inTurns } from '../../src/streams/in-turns.ts'

const marbles = () => new TestScheduler((actual, expected) => expect(actual).toEqual(expected))
const join = (waiting: string | null, item: string) => `${waiting ?? ''}${item}`

test('what comes while a step is under way waits as one, and is stepped when that is done', () => {
  marbles().run(({ cold, expectObservable }) => {
    const source = cold('  a-bc---d---|')
    const expected = '     ---A--B---D|'
    const out = source.pipe(inTurns(join, (waited) => of(waited).pipe(delay(3))))
    expectObservable(out).toBe(expected, { A: 'a', B: 'bc', D: 'd' })
  })
})

test('what still waits when the source ends is stepped before the end', () => {
  marbles().run(({ cold, expectObservable }) => {
    const source = cold('  a-b|')
    const expected = '     ---A--(B|)'
    const out = source.pipe(inTurns(join, (waited) => of(waited).pipe(delay(3))))
    expectObservable(out).toBe(expected, { A: 'a', B: 'b' })
  })
})

test('a step that fails ends it; a source that fails ends it', () => {
  marbles().run(({ cold, expectObservable }) => {
    const failing = cold('-a-').pipe(inTurns(join, () => throwError(() => 'broken')))
    expectObservable(failing).toBe('-#', {}, 'broken')
    const failed = cold('-#', {}, 'gone').pipe(inTurns(join, (waited) => of(waited)))
    expectObservable(failed).toBe('-#', {}, 'gone')
  })
})

test('whoever leaves stops the source and the step', () => {
  marbles().run(({ cold, expectObservable, expectSubscriptions }) => {
    const source = cold('a-----')
    const step = cold('  -----x')
    expectObservable(source.pipe(inTurns(join, () => step)), '^-!').toBe('---')
    expectSubscriptions(source.subscriptions).toBe('^-!')
    expectSubscriptions(step.subscriptions).toBe('^-!')
  })
})
