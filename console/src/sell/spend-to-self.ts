import { ApiError, type Exposure, type Outpoint, type SelfSpend } from 'psbt-market-client'
import { market } from '../api/market.ts'
import type { Connection } from '../wallet/connection.ts'
import { addressFor, moneyOf } from '../wallet/own-outputs.ts'
import { SIGN_ALL, type ToSign, WalletError } from '../wallet/wallet-port.ts'

interface Funding {
  fundingUtxos: Outpoint[]
  changeAddress: string
}

/** Neither has an owner that could be asked for. */
const WHY_UNSPENDABLE: Partial<Record<Exposure['output']['status'], string>> = {
  SPENT: 'A block has spent the output: nothing that was signed for it is left to end.',
  UNKNOWN: 'The node finds neither the output nor a spend of it: there is nothing to spend now.',
}

/**
 * The spend of an output, `txid:vout`, to the address that holds it. The fee is taken from the output,
 * or, where that would lose something, paid by another one of the wallet.
 */
export async function spendToSelf(outpoint: string, connection: Connection): Promise<SelfSpend> {
  const { ownerOf } = await import('../wallet/connection.ts')
  const path = { outpoint }
  const { output } = await market.get('/api/market/outpoints/{outpoint}', { path })
  const why = WHY_UNSPENDABLE[output.status]
  if (why !== undefined) throw new Error(why)
  const destinationAddress = ownerOf(connection, output.output?.scriptHex ?? '')
  const ask = (funding: Partial<Funding>) =>
    market.post('/api/market/outpoints/{outpoint}/self-spend', {
      path,
      body: { destinationAddress, ...funding },
    })
  try {
    return await ask({})
  } catch (error) {
    const wantsFunding = error instanceof ApiError && error.message.includes('fundingUtxos')
    if (!wantsFunding) throw error
  }
  return ask(await fundingOf(connection, outpoint))
}

/** The largest output that is safe to pay with, beside the one that is spent. */
async function fundingOf(connection: Connection, spent: string): Promise<Funding> {
  const { address } = addressFor(connection, 'payments')
  const { all } = await moneyOf(connection)
  const largest = all.find(({ txid, vout }) => `${txid}:${vout}` !== spent)
  if (largest) return { fundingUtxos: [largest], changeAddress: address }
  throw new Error(
    `The fee must not be taken from the output, and no other at ${address} is safe to pay with: send it some sats, and wait for a block.`,
  )
}

/** The final transaction, hex. @throws WalletError */
export async function signedSpend(spend: SelfSpend, connection: Connection): Promise<string> {
  const { signWith } = await import('../wallet/connection.ts')
  const toSign = spend.inputOutpoints.map((_, index): ToSign => {
    const payment = () => addressFor(connection, 'payments').address
    return {
      index,
      address: index === 0 ? spend.destinationAddress : payment(),
      sighash: SIGN_ALL,
    }
  })
  const { finalTxHex } = await signWith(connection, spend.psbt, toSign)
  if (finalTxHex === null) throw new WalletError('not-signed', 'The wallet did not sign all of it.')
  return finalTxHex
}
