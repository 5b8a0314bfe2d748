import type { Network } from '../../schemas/scalars.ts'
import { EventRefusedError, readSaleEvent, type SaleEvent } from './nostr-event.ts'

/** An event as parsed from JSON, and the network that it must be for. */
export interface SaleQuestion {
  event: unknown
  network: Network
}

/** A refusal is data, so that it can be passed between threads. */
export type SaleReading =
  | { status: 'read'; sale: SaleEvent }
  | ({ status: 'refused'; message: string } & Pick<EventRefusedError, 'code' | 'isForged'>)

/** `readSaleEvent`, for any event. */
export function readSale({ event, network }: SaleQuestion): SaleReading {
  try {
    return { status: 'read', sale: readSaleEvent(event, network) }
  } catch (cause) {
    if (!(cause instanceof EventRefusedError)) throw cause
    const { code, message, isForged } = cause
    return { status: 'refused', code, message, isForged }
  }
}
