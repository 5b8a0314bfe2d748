import type { PairingEvent } from 'psbt-market-client'
import { Identifier } from '../ui/values/identifier.tsx'
import { ObjectLink, TransactionLink } from './links.tsx'

const WORDS: Record<PairingEvent['kind'], string> = {
  object_created: 'created',
  carrier_moved: 'moved',
  objects_paired: 'paired',
  pair_dissolved: 'pair dissolved',
  object_released: 'released',
}

const Output = ({ outpoint }: { outpoint: string | null }) =>
  outpoint === null ? <>–</> : <Identifier id={outpoint} name="output" />

/** What happened to objects, according to this pipeline. */
export function EventTable({ events }: { events: readonly PairingEvent[] }) {
  if (events.length === 0) return <p class="empty">It changed no object.</p>
  return (
    <table class="cards">
      <thead>
        <tr>
          <th scope="col">Event</th>
          <th scope="col">Object</th>
          <th scope="col" class="number">
            Block
          </th>
          <th scope="col">Transaction</th>
          <th scope="col">From</th>
          <th scope="col">To</th>
        </tr>
      </thead>
      <tbody>
        {events.map((event) => (
          <tr key={`${event.txid} ${event.eventIndex}`}>
            <th scope="row">{WORDS[event.kind]}</th>
            <td data-label="Object">
              <ObjectLink objectKey={event.objectKey} />
            </td>
            <td data-label="Block" class="number">
              {event.height}
            </td>
            <td data-label="Transaction">
              <TransactionLink txid={event.txid} />
            </td>
            <td data-label="From">
              <Output outpoint={event.from} />
            </td>
            <td data-label="To">
              <Output outpoint={event.to} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
