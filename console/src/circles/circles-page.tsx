import { keepPreviousData, useQuery } from '@tanstack/preact-query'
import { useMemo, useState } from 'preact/hooks'
import type { CircleSnapshot, CircleState } from 'psbt-market-client'
import { market } from '../api/market.ts'
import { Waiting } from '../ui/awaited/waiting.tsx'
import { usePageTitle } from '../ui/shell/page-title.ts'
import { Identifier } from '../ui/values/identifier.tsx'
import { CircleCanvas } from './circle-canvas.tsx'
import { CircleFacts } from './circle-facts.tsx'
import { HashCard } from './hash-card.tsx'
import { layoutOf } from './layout.ts'
import { stateHashOf } from './state-hash.ts'

const EVERY_MS = 10_000
/** As many as the service returns at once. */
const MAX_STATES = 200
/** A snapshot of thousands of shards is megabytes. */
const SNAPSHOT_MS = 60_000

/** The graph of circles, now or as it was after a block. */
export function CirclesPage() {
  usePageTitle('Circles')
  const state = useQuery({
    queryKey: ['circles', 'state'],
    queryFn: ({ signal }) => market.get('/circles/state', { signal }),
    refetchInterval: EVERY_MS,
  })
  const stateHash = state.data?.stateHash
  const graph = useQuery({
    queryKey: ['circles', 'graph', stateHash],
    queryFn: async ({ signal }) => {
      const slow = { signal, attemptMs: SNAPSHOT_MS, totalMs: 2 * SNAPSHOT_MS }
      const [snapshot, { items }] = await Promise.all([
        market.get('/circles/snapshot', slow),
        market.get('/circles/states', { query: { limit: MAX_STATES }, signal }),
      ])
      return { snapshot, states: items, computed: await stateHashOf(snapshot) }
    },
    enabled: stateHash !== undefined,
    // The hash identifies it: the same one never changes, and an old one is not cached.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    placeholderData: keepPreviousData,
  })
  return (
    <>
      <h1>Circles</h1>
      <p class="quiet">
        Each line is a lineage, from left to right over the height; a joint is the circle in which
        lineages meet. All members of a circle signed one transaction: the graph is a record of who
        met whom that none of them can make alone, with one hash for all who read the same chain.{' '}
        <a href="/guide/circles.html">What circles are</a>
      </p>
      <Waiting query={state.data ? graph : state} />
      {graph.data && state.data && (
        <>
          <Graph snapshot={graph.data.snapshot} states={graph.data.states} />
          <HashCard
            state={state.data}
            snapshot={graph.data.snapshot}
            computed={graph.data.computed}
          />
        </>
      )}
    </>
  )
}

interface GraphParts {
  snapshot: CircleSnapshot
  /** Newest first. */
  states: readonly CircleState[]
}

function Graph({ snapshot, states }: GraphParts) {
  const layout = useMemo(() => layoutOf(snapshot), [snapshot])
  const [chosenTxid, choose] = useState<string | null>(null)
  const chosen = layout.joints.find(({ txid }) => txid === chosenTxid) ?? null
  const circle = snapshot.circles.find(({ txid }) => txid === chosenTxid)
  const [kept, keep] = useState<number | null>(null)
  const { heights } = layout
  const last = heights.length - 1
  const at = kept === null ? last : Math.min(kept, last)
  const height = heights[at]
  const state = states.find((one) => one.height === height)
  if (height === undefined)
    return (
      <p class="empty">
        No circle was confirmed yet. <a href="/guide/circles.html">How one is made</a>
      </p>
    )

  return (
    <section class="card" aria-labelledby="graph">
      <h2 id="graph">
        {snapshot.lineages.length} lineages, {snapshot.circles.length} circles,{' '}
        {snapshot.shards.length} shards
      </h2>
      <label>
        As of a block that changed it
        <input
          type="range"
          min={0}
          max={last}
          value={at}
          aria-valuetext={`block ${height}`}
          onInput={({ currentTarget }) => {
            const to = Number(currentTarget.value)
            keep(to === last ? null : to)
          }}
        />
      </label>
      <p aria-live="polite">
        After block {height}
        {state ? (
          <>
            : revision {state.revision}, hash <Identifier id={state.stateHash} name="state hash" />
          </>
        ) : (
          <span class="quiet"> (its revision is not among the {MAX_STATES} newest)</span>
        )}
      </p>
      <CircleCanvas
        layout={layout}
        upTo={height}
        chosen={chosen}
        choose={(joint) => choose(joint?.txid ?? null)}
      />
      <div aria-live="polite">
        {circle ? <CircleFacts circle={circle} /> : <p class="quiet">No circle is chosen.</p>}
      </div>
    </section>
  )
}
