import type { Circle } from 'psbt-market-client'
import { ExploredId } from '../content/explored-id.tsx'
import { Amount } from '../ui/values/amount.tsx'
import { groupedSats } from '../ui/values/amounts.ts'
import { Identifier } from '../ui/values/identifier.tsx'

/** A circle with its members. */
export const CircleFacts = ({ circle }: { circle: Circle }) => (
  <>
    <p>
      Circle <ExploredId of="tx" id={circle.txid} name="transaction" /> of {circle.participantCount}{' '}
      members, block {circle.blockHeight}, fee <Amount sats={circle.feeSats} />
    </p>
    <table class="cards">
      <thead>
        <tr>
          <th scope="col">Slot</th>
          <th scope="col">Lineage</th>
          <th scope="col">Into</th>
          <th scope="col" class="number">
            Sats
          </th>
        </tr>
      </thead>
      <tbody>
        {circle.members.map((member) => (
          <tr key={member.slot}>
            <th scope="row">{member.slot}</th>
            <td data-label="Lineage">
              <Identifier id={member.lineageId} name="lineage" />
              <span class="under">{member.wasExistingLineage ? 'goes on' : 'begins'}</span>
            </td>
            <td data-label="Into">
              <Identifier id={member.outputOutpoint} name="shard" />
            </td>
            <td data-label="Sats" class="number">
              {groupedSats(member.outputValueSats)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </>
)
