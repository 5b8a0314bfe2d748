import { useMutation, useQuery } from '@tanstack/preact-query'
import { useEffect } from 'preact/hooks'
import type { Outpoint, TransactionPlan } from 'psbt-market-client'
import { market } from '../api/market.ts'
import { Trouble } from '../ui/awaited/trouble.tsx'
import { Waiting } from '../ui/awaited/waiting.tsx'
import { Broadcast } from '../ui/handoff/broadcast.tsx'
import { PsbtHandoff } from '../ui/handoff/psbt-handoff.tsx'
import { Amount } from '../ui/values/amount.tsx'
import type { Connection } from '../wallet/connection.ts'
import { addressFor, moneyOf } from '../wallet/own-outputs.ts'
import { SIGN_ALL, type ToSign, WalletError } from '../wallet/wallet-port.ts'
import { PADDING_IS } from './padding-words.ts'

/** Between two looks for the paddings. */
const LOOK_MS = 5_000
/** A request names no more. */
const MAX_PAYING = 15

interface PaddingParts {
  connection: Connection
  /** Outputs of the wallet that can pay, largest first. */
  from: readonly Outpoint[]
  feeRate: string
  /** The purchase goes on. */
  again(): void
}

/** Paddings for a wallet that has none: composed, signed, broadcast by its owner, and waited for. */
export function PaddingSteps({ connection, from, feeRate, again }: PaddingParts) {
  const { address } = addressFor(connection, 'payments')
  const plan = useQuery({
    queryKey: ['paddings', address, feeRate],
    queryFn: () =>
      market.post('/api/market/operations/paddings', {
        body: {
          paymentAddress: address,
          fundingUtxos: from.slice(0, MAX_PAYING),
          ...(feeRate && { feeRateSatsPerVb: feeRate }),
        },
      }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  useArrival(connection, again)
  return (
    <>
      <p>
        {PADDING_IS} Your wallet has none: this transaction makes two of 600 sats from your own
        money.
      </p>
      {plan.data ? (
        <SignPaddings key={plan.data.psbt} plan={plan.data} connection={connection} />
      ) : (
        <Waiting query={plan} isOpened />
      )}
      <p class="quiet">Once a block holds it, the purchase goes on here by itself.</p>
    </>
  )
}

/** However the paddings were made, they are found. */
function useArrival(connection: Connection, arrived: () => void): void {
  const seen = useQuery({
    queryKey: ['padding outputs', addressFor(connection, 'payments').address],
    // While all that it has is unconfirmed, nothing of it can pay.
    queryFn: () => moneyOf(connection).catch(() => null),
    refetchInterval: LOOK_MS,
    gcTime: 0,
  })
  const areThere = seen.data?.paddings !== null && seen.data?.areSmall === true
  useEffect(() => {
    if (areThere) arrived()
  }, [areThere])
}

function SignPaddings({ plan, connection }: { plan: TransactionPlan; connection: Connection }) {
  const sign = useMutation({ mutationFn: () => signedPaddings(plan, connection) })
  return (
    <div aria-live="polite">
      <p>
        It costs <Amount sats={plan.networkFeeSats} /> at {plan.feeRateSatsPerVb} sats per vbyte.
      </p>
      {sign.data === undefined ? (
        <button type="button" disabled={sign.isPending} onClick={() => sign.mutate()}>
          {sign.isPending ? 'Confirm it in the wallet…' : 'Sign the padding in the wallet'}
        </button>
      ) : (
        <>
          <p>Signed. Now broadcast it.</p>
          <Broadcast finalTxHex={sign.data} name="padding" />
        </>
      )}
      {sign.error !== null && <Trouble error={sign.error} />}
      <details>
        <summary>Or sign it elsewhere</summary>
        <PsbtHandoff psbt={plan.psbt} name="padding" />
      </details>
    </div>
  )
}

/** The final transaction, hex. */
async function signedPaddings(plan: TransactionPlan, connection: Connection): Promise<string> {
  const { ownerOf, signWith } = await import('../wallet/connection.ts')
  const toSign = plan.toSign.map(
    ({ inputIndex, scriptHex }): ToSign => ({
      index: inputIndex,
      address: ownerOf(connection, scriptHex),
      sighash: SIGN_ALL,
    }),
  )
  const { finalTxHex } = await signWith(connection, plan.psbt, toSign)
  if (finalTxHex === null) throw new WalletError('not-signed', 'The wallet did not sign all of it.')
  return finalTxHex
}
