import {
  catchError,
  defer,
  firstValueFrom,
  forkJoin,
  map,
  type Observable,
  of,
  timeout,
} from 'rxjs'
import { cacheFor } from '../operators/cache-for.ts'

/** A dependency that a process needs, or works better with. */
export interface Probe {
  /** Whether the process should get no traffic without it. */
  vital: boolean
  /** The reason to give when `ask` fails or takes too long. */
  unavailable: string
  /** The reasons why it is not ready; empty if it is. */
  ask(): Promise<readonly string[]>
}

export interface ReadinessPace {
  /** How long all probes together may take, milliseconds. */
  timeoutMs: number
  /** How long one observation is served to all callers, milliseconds. */
  cacheForMs: number
}

interface ObservedPart {
  missing: string[]
  degraded: string[]
}

/**
 * Whether a process should get traffic now: all probes run at the same time, within bounds, and one
 * observation is shared by all concurrent callers.
 */
export function roleReadiness(
  probes: readonly Probe[],
  { timeoutMs, cacheForMs }: ReadinessPace,
): () => Promise<ObservedPart> {
  const observed: Observable<ObservedPart> = defer(() =>
    forkJoin([of(NOTHING), ...probes.map((probe) => answerOf(probe, timeoutMs))]),
  ).pipe(
    map((answers) => ({
      missing: answers.flatMap(({ missing }) => missing),
      degraded: answers.flatMap(({ degraded }) => degraded),
    })),
    cacheFor(cacheForMs),
  )
  return () => firstValueFrom(observed)
}

const NOTHING: ObservedPart = { missing: [], degraded: [] }

const answerOf = (probe: Probe, timeoutMs: number): Observable<ObservedPart> =>
  defer(() => probe.ask()).pipe(
    timeout({ first: timeoutMs, with: () => of([`${probe.unavailable}: no answer in time`]) }),
    catchError(() => of([probe.unavailable])),
    map((reasons) =>
      probe.vital
        ? { missing: [...reasons], degraded: [] }
        : { missing: [], degraded: [...reasons] },
    ),
  )
