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
import { sharedFor } from './shared-for.ts'

/** One thing that a process needs to do its part, or does it better with. */
export interface Probe {
  /** Vital: without it the process should get no traffic. */
  vital: boolean
  /** The reason where asking fails or takes too long. */
  unavailable: string
  /** Why not; empty when all is well. */
  ask(): Promise<readonly string[]>
}

export interface ReadinessPace {
  /** How long all probes together may take, milliseconds. */
  timeoutMs: number
  /** How long one observation answers everybody who asks, milliseconds. */
  sharedForMs: number
}

interface Observed {
  missing: string[]
  degraded: string[]
}

/**
 * Whether a process should get traffic now: every probe is asked at the same time, within bounds,
 * and one observation answers all who ask meanwhile.
 */
export function roleReadiness(
  probes: readonly Probe[],
  { timeoutMs, sharedForMs }: ReadinessPace,
): () => Promise<Observed> {
  const observed: Observable<Observed> = defer(() =>
    forkJoin([of(NOTHING), ...probes.map((probe) => answerOf(probe, timeoutMs))]),
  ).pipe(
    map((answers) => ({
      missing: answers.flatMap(({ missing }) => missing),
      degraded: answers.flatMap(({ degraded }) => degraded),
    })),
    sharedFor(sharedForMs),
  )
  return () => firstValueFrom(observed)
}

const NOTHING: Observed = { missing: [], degraded: [] }

const answerOf = (probe: Probe, timeoutMs: number): Observable<Observed> =>
  defer(() => probe.ask()).pipe(
    timeout({ first: timeoutMs, with: () => of([`${probe.unavailable}: no answer in time`]) }),
    catchError(() => of([probe.unavailable])),
    map((reasons) =>
      probe.vital
        ? { missing: [...reasons], degraded: [] }
        : { missing: [], degraded: [...reasons] },
    ),
  )
