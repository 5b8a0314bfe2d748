import { useMutation } from '@tanstack/preact-query'
import { MarketClientError, type Quote } from 'psbt-market-client'
import { market } from '../api/market.ts'
import { ActionForm } from '../ui/action-form.tsx'
import { textIn } from '../ui/form-text.ts'
import { Trouble } from '../ui/trouble.tsx'
import type { Connection } from '../wallet/connection.ts'
import { addressFor, moneyOf } from '../wallet/own-outputs.ts'
import { WithWallet } from '../wallet/wallet-chooser.tsx'
import { SIGN_ALL, type ToSign } from '../wallet/wallet-port.ts'
import { PreflightView } from './preflight-view.tsx'
import { QuoteFacts } from './quote-facts.tsx'

/** A purchase by a wallet in the browser. */
export const Buying = ({ orderId }: { orderId: string }) => (
  <WithWallet>{(connection) => <BuySteps orderId={orderId} connection={connection} />}</WithWallet>
)

/** Quoted, signed, checked. */
function BuySteps({ orderId, connection }: { orderId: string; connection: Connection }) {
  const payment = addressFor(connection, 'payments').address
  const asset = addressFor(connection, 'assets').address
  const quote = useMutation({
    mutationFn: (given: FormData) =>
      quoted(orderId, connection, textIn(given, 'receive') || asset, textIn(given, 'feeRate')),
  })
  const buy = useMutation({ mutationFn: (of: Quote) => signedAndChecked(of, payment, connection) })
  return (
    <ActionForm
      action={quote}
      submit={(given) => {
        buy.reset()
        quote.mutate(given)
      }}
      button="Buy"
      pending="Asking…"
      show={(answer) => (
        <>
          <QuoteFacts quote={answer} />
          {!buy.data?.allowed && (
            <button type="button" disabled={buy.isPending} onClick={() => buy.mutate(answer)}>
              {buy.isPending ? 'Confirm it in the wallet…' : 'Sign in the wallet'}
            </button>
          )}
          {buy.error !== null && <Trouble error={buy.error} />}
          {buy.data && <PreflightView result={buy.data} />}
        </>
      )}
    >
      {asset === payment && (
        <label>
          Address that receives the asset
          <input name="receive" required maxLength={100} autocomplete="off" />
          <span class="under">
            The wallet has one address, and the asset must not go where the change goes: name
            another address of yours.
          </span>
        </label>
      )}
      <details>
        <summary>Fee rate</summary>
        <label>
          Sats per vbyte (empty: the node’s estimate)
          <input name="feeRate" inputMode="decimal" autocomplete="off" />
        </label>
      </details>
    </ActionForm>
  )
}

/** Pays with the largest output alone if that is enough, else with all. */
async function quoted(
  orderId: string,
  connection: Connection,
  assetReceiveAddress: string,
  feeRate: string,
): Promise<Quote> {
  const { paddings, funding } = await moneyOf(connection)
  const ask = (fundingUtxos: typeof funding) =>
    market.post('/api/market/orders/{id}/quote', {
      path: { id: orderId },
      body: {
        assetReceiveAddress,
        paymentAddress: addressFor(connection, 'payments').address,
        paddingUtxos: paddings,
        fundingUtxos,
        ...(feeRate && { feeRateSatsPerVb: feeRate }),
      },
    })
  try {
    return await ask(funding.slice(0, 1))
  } catch (error) {
    const isShort = error instanceof MarketClientError && error.message.includes('insufficient')
    if (!isShort || funding.length === 1) throw error
    return ask(funding)
  }
}

async function signedAndChecked(quote: Quote, address: string, connection: Connection) {
  const toSign = quote.inputOutpoints.flatMap((_, index): ToSign[] =>
    index === quote.sellerIndex ? [] : [{ index, address, sighash: SIGN_ALL }],
  )
  const { signWith } = await import('../wallet/connection.ts')
  const { psbt } = await signWith(connection, quote.psbt, toSign)
  return market.post('/api/market/orders/{id}/preflight', {
    path: { id: quote.orderId },
    body: { signedPsbt: psbt },
  })
}
