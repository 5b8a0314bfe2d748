import { useQuery } from '@tanstack/preact-query'
import { useRef, useState } from 'preact/hooks'
import type { FeeEstimates } from 'psbt-market-client'
import { market } from '../api/market.ts'
import { Field } from '../ui/forms/field.tsx'
import { textIn } from '../ui/forms/form-text.ts'
import { groupedSats } from '../ui/values/amounts.ts'

type Estimate = FeeEstimates['estimates'][number]

const NAMES: Readonly<Record<number, string>> = { 2: 'High', 6: 'Medium', 144: 'Low' }
/** Chosen until another is. */
const USUAL_BLOCKS = 6
const OWN = 'own'
/** A purchase with one payment: two paddings, the offered output, and five outputs. */
export const USUAL_VBYTES = 420
const MINUTES_PER_BLOCK = 10

/** The fee of a purchase: by how soon it should confirm, where the node has estimates, or a rate of one's own. */
export function FeeChoice({ vbytes }: { vbytes?: string | undefined }) {
  // Kept while another fee is chosen, which takes the quote away: fees are compared then.
  const known = useRef<string>()
  known.current = vbytes ?? known.current
  const fees = useQuery({
    queryKey: ['fees'],
    queryFn: ({ signal }) => market.get('/api/market/fees', { signal }),
    staleTime: 30_000,
  })
  const [chosen, setChosen] = useState<number | typeof OWN>(USUAL_BLOCKS)
  if (fees.isLoading) return <p class="quiet">Asking the node for its fee rates…</p>
  const estimates = [...(fees.data?.estimates ?? [])].reverse()
  if (estimates.length === 0) return <RateField minimum={fees.data?.minimumFeeRateSatsPerVb} />
  const current = estimates.some(({ blocks }) => blocks === chosen) || chosen === OWN
  return (
    <fieldset class="fees">
      <legend>Network fee</legend>
      <div class="segments">
        {estimates.map((estimate, at) => (
          <Segment
            key={estimate.blocks}
            value={estimate.feeRateSatsPerVb}
            isChosen={current ? chosen === estimate.blocks : at === 0}
            choose={() => setChosen(estimate.blocks)}
            title={NAMES[estimate.blocks] ?? `${estimate.blocks} blocks`}
            lines={linesOf(estimate, known.current)}
          />
        ))}
        <Segment
          value=""
          isChosen={chosen === OWN}
          choose={() => setChosen(OWN)}
          title="Own"
          lines={['a number of yours']}
        />
      </div>
      {chosen === OWN && <RateField minimum={fees.data?.minimumFeeRateSatsPerVb} />}
    </fieldset>
  )
}

interface SegmentParts {
  /** The rate; empty: that of the field. */
  value: string
  isChosen: boolean
  choose(): void
  title: string
  lines: readonly string[]
}

const Segment = ({ value, isChosen, choose, title, lines }: SegmentParts) => (
  <label>
    <input type="radio" name="speed" value={value} checked={isChosen} onChange={choose} />
    <strong>{title}</strong>
    {lines.map((line) => (
      <span key={line} class="under">
        {line}
      </span>
    ))}
  </label>
)

/** A rate that is typed; `minimum` is the node's own. */
export const RateField = ({ minimum }: { minimum?: string | undefined }) => (
  <Field
    name="feeRateSatsPerVb"
    label="Fee rate, sats per vbyte (empty: the node’s own)"
    hint={minimum === undefined ? undefined : `The node takes ${minimum} or more.`}
    cure="Write a number with at most three decimals, such as 2.5."
  >
    {(ties) => <input {...ties} inputMode="decimal" autocomplete="off" />}
  </Field>
)

function linesOf({ blocks, feeRateSatsPerVb }: Estimate, vbytes: string | undefined): string[] {
  const fee = Math.ceil(Number(feeRateSatsPerVb) * Number(vbytes ?? USUAL_VBYTES)).toString()
  return [
    `about ${timeText(blocks * MINUTES_PER_BLOCK)}`,
    `${feeRateSatsPerVb} sats/vB`,
    `${vbytes === undefined ? 'about ' : ''}${groupedSats(fee)} sats`,
  ]
}

function timeText(minutes: number): string {
  if (minutes < 60) return `${minutes} min`
  return minutes < 1_440 ? `${Math.round(minutes / 60)} h` : `${Math.round(minutes / 1_440)} d`
}

/** A price is written so: a rate that looks like it is left for the service to refuse. */
const THOUSANDS = /,[0-9]{3}$/

/** The rate that was chosen, as a request has it; none: the node's own. */
export function feeRateIn(given: FormData): { feeRateSatsPerVb?: string } {
  const typed = textIn(given, 'speed') || textIn(given, 'feeRateSatsPerVb')
  const rate = THOUSANDS.test(typed) ? typed : typed.replace(',', '.')
  return rate === '' ? {} : { feeRateSatsPerVb: rate }
}
