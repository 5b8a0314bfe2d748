import { useQuery } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import type { AgreementEnvelope, CheckpointTuple } from 'psbt-market-client'
import { market } from '../api/market.ts'
import { Waiting } from '../ui/awaited/waiting.tsx'
import { BytesField } from '../ui/forms/bytes-field.tsx'
import { type FormEvent, textIn } from '../ui/forms/form-text.ts'
import { Identifier } from '../ui/values/identifier.tsx'
import { countSame, FIELD_COUNT, firstDifference, TupleTable } from './tuple-table.tsx'
import { useVerified, VerifiedState } from './verified.tsx'

// Any verified read states what was signed; this one is small.
const SMALLEST = { query: { q: '0', limit: 1 } } as const

/**
 * What this pipeline signed for a height, next to what both signed, or what another one answers.
 */
export function AgreementCard() {
  const verified = useVerified('/pairing/verified/search', SMALLEST)
  const { outcome } = verified
  const signed =
    outcome?.status === 'verified' || outcome?.status === 'held' ? outcome.agreement : null
  const [pasted, setPasted] = useState<AgreementEnvelope | null>(null)
  const [fault, setFault] = useState<string | null>(null)
  const compare = (event: FormEvent) => {
    event.preventDefault()
    try {
      setPasted(envelopeOf(textIn(new FormData(event.currentTarget), 'envelope')))
      setFault(null)
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error))
    }
  }
  const height = pasted?.tuple.height ?? signed?.height.toString()
  return (
    <section class="card" aria-labelledby="agreement">
      <h2 id="agreement">Agreement</h2>
      <VerifiedState {...verified} />
      {height !== undefined && (
        <OwnEnvelope
          key={height}
          height={height}
          other={
            pasted
              ? { name: `Pasted, pipeline ${pasted.pipeline}`, tuple: pasted.tuple }
              : {
                  name: 'Both signed',
                  tuple: signed
                    ? {
                        height: String(signed.height),
                        blockHash: signed.blockHash,
                        checkpointHash: signed.checkpointHash,
                      }
                    : {},
                }
          }
        />
      )}
      <details>
        <summary>Compare with another pipeline</summary>
        <p class="quiet">
          Its answer of <code>/pairing/agreement/HEIGHT</code>. Only the fields are compared here;{' '}
          <code>market pairing verify</code> checks the signature.
        </p>
        <form class="form" onSubmit={compare}>
          <BytesField name="envelope" label="Envelope, JSON" />
          <button type="submit">Compare</button>
        </form>
        {fault && <p class="stale">{fault}</p>}
      </details>
    </section>
  )
}

interface Other {
  name: string
  tuple: Partial<CheckpointTuple>
}

function OwnEnvelope({ height, other }: { height: string; other: Other }) {
  const query = useQuery({
    queryKey: ['agreement', height],
    queryFn: ({ signal }) =>
      market.get('/pairing/agreement/{height}', { path: { height: Number(height) }, signal }),
  })
  const { data } = query
  if (!data) return <Waiting query={query} />
  const own = { name: `This one, pipeline ${data.pipeline}`, tuple: data.tuple }
  const difference = firstDifference(own, other)
  return (
    <>
      {difference && <p class="stale">They differ, first in: {difference}.</p>}
      <details open={difference !== null}>
        <summary>
          {countSame(own, other)} of {FIELD_COUNT} fields agree, at block {height}
        </summary>
        <TupleTable own={own} other={other} />
      </details>
      <p class="quiet">
        The checkpoint is a hash of the other eight fields. Signed by key {data.keyId}, release{' '}
        {data.release.name} {data.release.version}, signature{' '}
        <Identifier id={data.signature} name="signature" />
      </p>
    </>
  )
}

/** @throws Error the pasted text is not an envelope */
function envelopeOf(text: string): AgreementEnvelope {
  const given: unknown = JSON.parse(text)
  if (typeof given !== 'object' || given === null || !('tuple' in given) || !given.tuple)
    throw new Error('This is not an envelope: it has no tuple.')
  const { height } = given.tuple as Partial<CheckpointTuple>
  if (typeof height !== 'string' || !/^[0-9]{1,10}$/.test(height))
    throw new Error('This is not an envelope: its height is not decimal text.')
  const pipeline = 'pipeline' in given && given.pipeline === 'A' ? 'A' : 'B'
  return { ...(given as AgreementEnvelope), pipeline, tuple: textsOf(given.tuple) }
}

/** Only texts are compared, and shown. */
const textsOf = (tuple: object): CheckpointTuple =>
  Object.fromEntries(
    Object.entries(tuple).filter(([, value]) => typeof value === 'string'),
  ) as CheckpointTuple
