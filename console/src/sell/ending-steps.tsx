import { useMutation, useQuery } from '@tanstack/preact-query'
import type { SelfSpend } from 'psbt-market-client'
import { Trouble } from '../ui/awaited/trouble.tsx'
import { Waiting } from '../ui/awaited/waiting.tsx'
import { Broadcast } from '../ui/handoff/broadcast.tsx'
import { Amount } from '../ui/values/amount.tsx'
import { Identifier } from '../ui/values/identifier.tsx'
import type { Connection } from '../wallet/connection.ts'
import { WithWallet } from '../wallet/wallet-chooser.tsx'
import { signedSpend, spendToSelf } from './spend-to-self.ts'

interface Ending {
  /** TXID:VOUT */
  outpoint: string
  connection: Connection
}

/** The spend that ends all that is signed for an output, by a wallet in the browser. */
export const Ending = ({ outpoint }: Pick<Ending, 'outpoint'>) => (
  <WithWallet>
    {(connection) => <EndingSteps outpoint={outpoint} connection={connection} />}
  </WithWallet>
)

/** Built by the service, shown, signed in the wallet, broadcast by its owner. */
export function EndingSteps({ outpoint, connection }: Ending) {
  const built = useQuery({
    queryKey: ['self-spend', outpoint],
    queryFn: () => spendToSelf(outpoint, connection),
    // Read when the page is opened: it must not change below the button that signs it.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  if (!built.data) return <Waiting query={built} isOpened />
  return <SignSpend spend={built.data} connection={connection} />
}

function SignSpend({ spend, connection }: { spend: SelfSpend; connection: Connection }) {
  const sign = useMutation({ mutationFn: () => signedSpend(spend, connection) })
  const name = `end-${spend.outpoint.replace(':', '-')}`
  return (
    <div aria-live="polite">
      <dl class="facts">
        <dt>Goes to</dt>
        <dd>
          <Identifier id={spend.destinationAddress} name="address" />
        </dd>
        <dt>Arrives</dt>
        <dd>
          <Amount sats={spend.outputValuesSats[0] ?? '0'} />
        </dd>
        <dt>Network fee</dt>
        <dd>
          <Amount sats={spend.networkFeeSats} /> at {spend.feeRateSatsPerVb} sats per vbyte
        </dd>
      </dl>
      <ul class="notices">
        {spend.notices.map(({ code, message }) => (
          <li key={`${code} ${message}`}>{message}</li>
        ))}
      </ul>
      {sign.data === undefined ? (
        <button type="button" disabled={sign.isPending} onClick={() => sign.mutate()}>
          {sign.isPending ? 'Confirm it in the wallet…' : 'Sign the transaction that ends it'}
        </button>
      ) : (
        <>
          <p>Signed: once a block holds it, every copy of the order has ended. Now broadcast it.</p>
          <Broadcast finalTxHex={sign.data} name={name} />
        </>
      )}
      {sign.error !== null && <Trouble error={sign.error} />}
    </div>
  )
}
