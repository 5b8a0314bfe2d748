import { useMutation, useQuery } from '@tanstack/preact-query'
import type { SelfSpend } from 'psbt-market-client'
import { Trouble } from '../ui/awaited/trouble.tsx'
import { Waiting } from '../ui/awaited/waiting.tsx'
import { Broadcast } from '../ui/handoff/broadcast.tsx'
import type { Connection } from '../wallet/connection.ts'
import { WithWallet } from '../wallet/wallet-chooser.tsx'
import { endName, SpendFacts } from './spend-facts.tsx'
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
  return (
    <div aria-live="polite">
      <SpendFacts spend={spend} />
      {sign.data === undefined ? (
        <button type="button" disabled={sign.isPending} onClick={() => sign.mutate()}>
          {sign.isPending ? 'Confirm it in the wallet…' : 'Sign the transaction that ends it'}
        </button>
      ) : (
        <>
          <p>Signed: once a block holds it, every copy of the order has ended. Now broadcast it.</p>
          <Broadcast finalTxHex={sign.data} name={endName(spend)} />
        </>
      )}
      {sign.error !== null && <Trouble error={sign.error} />}
    </div>
  )
}
