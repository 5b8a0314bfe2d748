import { useQuery } from '@tanstack/preact-query'
import { ApiError } from 'psbt-market-client'
import { Link } from 'wouter-preact'
import { market } from '../api/market.ts'
import { Waiting } from '../ui/awaited/waiting.tsx'
import type { LookedFor } from './looked-for.ts'

/** A circle, a lineage or a shard of that name. */
export function FoundCircles({ of: { hash, outpoint } }: { of: LookedFor }) {
  const query = useQuery({
    queryKey: ['circles', 'found', hash, outpoint],
    queryFn: ({ signal }) =>
      hash ? namedBy(hash, signal) : outpoint ? shardAt(outpoint, signal) : Promise.resolve([]),
  })
  const { data } = query
  return (
    <section class="card" aria-labelledby="found-circles">
      <h2 id="found-circles">Circles</h2>
      <Waiting query={query} isOpened />
      {data?.length === 0 && <p class="quiet">No circle, lineage or shard.</p>}
      <ul class="notices">
        {data?.map((words) => (
          <li key={words}>
            {words} <Link href="/console/circles">See the graph</Link>
          </li>
        ))}
      </ul>
    </section>
  )
}

async function namedBy(hash: string, signal: AbortSignal): Promise<string[]> {
  const [circle, lineage] = await Promise.all([
    unlessAbsent(market.get('/circles/circles/{txid}', { path: { txid: hash }, signal })),
    unlessAbsent(market.get('/circles/lineages/{id}', { path: { id: hash }, signal })),
  ])
  return [
    ...(circle
      ? [`A circle of ${circle.participantCount} members in block ${circle.blockHeight}.`]
      : []),
    ...(lineage ? [`A lineage, ${lineage.status}.`] : []),
  ]
}

async function shardAt(outpoint: string, signal: AbortSignal): Promise<string[]> {
  const shard = await unlessAbsent(
    market.get('/circles/shards/{outpoint}', { path: { outpoint }, signal }),
  )
  return shard ? [`A shard of the lineage ${shard.lineageId}.`] : []
}

const unlessAbsent = <T,>(answer: Promise<T>): Promise<T | null> =>
  answer.catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 404) return null
    throw error
  })
