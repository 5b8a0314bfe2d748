import { TxidText } from '../../src/adapters/bitcoind/txid-text.ts'

/** These txids as Bitcoin Core lists them. */
export const txidText = (txids: Iterable<string>): TxidText =>
  new TxidText(Buffer.from(JSON.stringify([...txids]).slice(1, -1)))
