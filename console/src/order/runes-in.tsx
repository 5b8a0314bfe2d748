import type { OrderVersion } from 'psbt-market-client'
import { groupedSats } from '../ui/values/amounts.ts'

/** Most runes named; an output may hold any number of them. */
const MAX_NAMED = 8

interface RunesIn {
  height: number
  runes: readonly { name: string; amount: string }[]
}

/** The runes in the offered output, by the last answer of the index that the order rests on; null: none. */
export function runesIn(versions: readonly OrderVersion[] | undefined): RunesIn | null {
  for (const { evidence } of versions ?? []) {
    if (evidence?.index.status !== 'ready' || !evidence.index.indexed) continue
    const { at, runes } = evidence.index
    return runes && runes.length > 0 ? { height: at.height, runes } : null
  }
  return null
}

export function RunesHeld({ height, runes }: RunesIn) {
  const more = runes.length - MAX_NAMED
  return (
    <>
      <dt>Runes</dt>
      <dd>
        {runes.slice(0, MAX_NAMED).map(({ name, amount }) => (
          <div key={name}>
            {groupedSats(amount)} {name}
          </div>
        ))}
        {more > 0 && <div>and {more} more</div>}
        <span class="under">In the smallest unit of each, by the index at block {height}.</span>
      </dd>
    </>
  )
}
