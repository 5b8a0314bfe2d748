import { useMutation } from '@tanstack/preact-query'
import { MarketClientError, type OrderSummary, type Quote } from 'psbt-market-client'
import { market } from '../api/market.ts'
import { Trouble } from '../ui/awaited/trouble.tsx'
import { ActionForm } from '../ui/forms/action-form.tsx'
import { Field } from '../ui/forms/field.tsx'
import { textIn } from '../ui/forms/form-text.ts'
import { groupedSats } from '../ui/values/amounts.ts'
import type { Connection } from '../wallet/connection.ts'
import { addressFor, type Money, moneyOf } from '../wallet/own-outputs.ts'
import { WithWallet } from '../wallet/wallet-chooser.tsx'
import { SIGN_ALL, type ToSign } from '../wallet/wallet-port.ts'
import { FeeChoice, feeRateIn, USUAL_VBYTES } from './fee-choice.tsx'
import { PaddingSteps } from './padding-steps.tsx'
import { PreflightView } from './preflight-view.tsx'
import { QuoteFacts } from './quote-facts.tsx'
import { byOwnClock, hasExpired, useHasExpired } from './quote-life.ts'

interface BuyParts {
  order: OrderSummary
  /** What was signed may be broadcast. */
  bought?(): void
}

/** A purchase by a wallet in the browser. */
export const Buying = (parts: BuyParts) => (
  <WithWallet>{(connection) => <BuySteps {...parts} connection={connection} />}</WithWallet>
)

/** Quoted, after paddings where the wallet has none; signed, checked. */
function BuySteps({ order, bought, connection }: BuyParts & { connection: Connection }) {
  const payment = addressFor(connection, 'payments').address
  const asset = addressFor(connection, 'assets').address
  const quote = useMutation({
    mutationFn: (form: FormData) =>
      quoted(connection, order.id, {
        assetReceiveAddress: textIn(form, 'assetReceiveAddress') || asset,
        ...feeRateIn(form),
      }),
  })
  const given = quote.variables
  const offered = quote.data && !('from' in quote.data) ? quote.data : null
  const buy = useMutation({
    mutationFn: (of: Quote) => signedAndChecked(of, payment, connection),
    onSuccess: ({ allowed }) => allowed && bought?.(),
  })
  return (
    <ActionForm
      action={{
        ...quote,
        // What is signed is paid for, or never sent; paddings serve any form.
        reset: () => {
          if (buy.data?.allowed || (quote.data && !offered)) return
          buy.reset()
          quote.reset()
        },
      }}
      submit={(form) => {
        buy.reset()
        quote.mutate(form)
      }}
      button="Buy"
      pending="Asking…"
      show={(answer, again) =>
        'from' in answer ? (
          <PaddingSteps
            connection={connection}
            from={answer.from}
            feeRate={(given && feeRateIn(given).feeRateSatsPerVb) ?? ''}
            again={again}
          />
        ) : (
          <>
            <QuoteFacts quote={answer} order={order} />
            {!buy.data?.allowed && (
              <SignQuote
                quote={answer}
                isPending={buy.isPending}
                sign={() => buy.mutate(answer)}
                again={again}
              />
            )}
            {buy.error !== null && <Trouble error={buy.error} />}
            {buy.data && <PreflightView result={buy.data} />}
          </>
        )
      }
    >
      {asset === payment && (
        <Field
          name="assetReceiveAddress"
          label="Address that receives the asset"
          hint="The wallet has one address, and the asset must not go where the change goes: name another address of yours."
          cure="Give another address of this network."
        >
          {(ties) => <input {...ties} required maxLength={100} autocomplete="off" />}
        </Field>
      )}
      <FeeChoice vbytes={offered?.estimatedVbytes} />
    </ActionForm>
  )
}

interface Signing {
  quote: Quote
  isPending: boolean
  sign(): void
  again(): void
}

/** What has expired is not signed: it is asked for again. */
function SignQuote({ quote, isPending, sign, again }: Signing) {
  const isOver = useHasExpired(quote) && !isPending
  // A page that slept is drawn again up to a second after it woke.
  const signInTime = () => (hasExpired(quote) ? again() : sign())
  return (
    <button type="button" disabled={isPending} onClick={isOver ? again : signInTime}>
      {isPending ? 'Confirm it in the wallet…' : isOver ? 'Quote again' : 'Sign in the wallet'}
    </button>
  )
}

interface Missing {
  /** What can pay for paddings: the wallet has none. */
  from: Money['all']
}

/**
 * Pays with the largest output alone if that is enough, else with all. Paddings are missing where
 * the wallet has too few outputs, or its money is in those that would be paddings.
 */
async function quoted(
  connection: Connection,
  id: string,
  wishes: { assetReceiveAddress: string; feeRateSatsPerVb?: string },
): Promise<Quote | Missing> {
  const { paddings, funding, areSmall, all, totalSats } = await moneyOf(connection)
  const path = { id }
  const missing = async (): Promise<Missing> => {
    const { quotedPriceSats } = await market.get('/api/market/orders/{id}', { path })
    requireMoney(totalSats, quotedPriceSats, wishes.feeRateSatsPerVb)
    return { from: all }
  }
  if (!paddings) return missing()
  const ask = async (fundingUtxos: typeof funding) => {
    const askedAtMs = Date.now()
    const answer = await market.post('/api/market/orders/{id}/quote', {
      path,
      body: {
        ...wishes,
        paymentAddress: addressFor(connection, 'payments').address,
        paddingUtxos: paddings,
        fundingUtxos,
      },
    })
    return byOwnClock(answer, askedAtMs)
  }
  const [first] = funding
  const attempts = first && funding.length > 1 ? [[first], funding] : [funding]
  for (const fundingUtxos of attempts) {
    try {
      return await ask(fundingUtxos)
    } catch (error) {
      const isShort = error instanceof MarketClientError && error.message.includes('insufficient')
      if (!isShort || (fundingUtxos === attempts.at(-1) && areSmall)) throw error
    }
  }
  return missing()
}

/** Two of 600. */
const PADDING_SATS = 1_200

/**
 * Paddings cost a fee: none are made for a purchase that is beyond the wallet. A usual fee is
 * less than its own and that of the paddings together.
 */
function requireMoney(
  totalSats: bigint,
  priceSats: string | undefined,
  feeRate: string | undefined,
): void {
  if (priceSats === undefined) return
  // The service says what is wrong with a rate that is no number.
  const usual = Math.ceil(Number(feeRate ?? 0) * USUAL_VBYTES)
  const feeSats = Number.isSafeInteger(usual) ? usual : 0
  const neededSats = BigInt(priceSats) + BigInt(PADDING_SATS + feeSats)
  if (totalSats >= neededSats) return
  throw new Error(
    `The wallet has ${groupedSats(String(totalSats))} sats that are safe to pay with, and the order costs ${groupedSats(priceSats)}: ${groupedSats(String(neededSats))} or more with paddings and fee.`,
  )
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
