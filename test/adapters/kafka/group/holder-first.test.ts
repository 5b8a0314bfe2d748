import kafkajs from 'kafkajs'
import { expect, test } from 'vitest'
import { holderFirst } from '../../../../src/adapters/kafka/group/holder-first.ts'

const { MemberAssignment } = kafkajs.AssignerProtocol
const TOPIC = 'ingest.state'

/** The member that is given the partition; fails unless exactly one is. */
async function chosen(members: Record<string, number | null>): Promise<string | undefined> {
  const [assigner] = Object.values(members).map((since) => holderFirst(() => since)(CLUSTER))
  const assigned = await assigner?.assign({
    topics: [TOPIC],
    members: Object.entries(members).map(([memberId, since]) => ({
      memberId,
      memberMetadata: holderFirst(() => since)(CLUSTER).protocol({ topics: [TOPIC] }).metadata,
    })),
  })
  const owners = (assigned ?? []).filter(
    ({ memberAssignment }) => MemberAssignment.decode(memberAssignment)?.assignment[TOPIC]?.length,
  )
  expect(owners).toHaveLength(1)
  expect(assigned?.map(({ memberId }) => memberId).sort()).toEqual(Object.keys(members).sort())
  return owners[0]?.memberId
}

/** The assigner asks nothing of the cluster. */
const CLUSTER = {} as never

test('the one that has the partition keeps it, whoever joins', async () => {
  expect(await chosen({ a: null, b: 1_000, c: null })).toBe('b')
  expect(await chosen({ '0': null, b: 1_000 })).toBe('b')
})

test('of two that say they have it, the one that had it last has it', async () => {
  expect(await chosen({ a: 1_000, b: 2_000 })).toBe('b')
  expect(await chosen({ a: 2_000, b: 1_000 })).toBe('a')
})

test('while no member has it, the first by name is given it', async () => {
  expect(await chosen({ b: null, a: null })).toBe('a')
  expect(await chosen({ a: null })).toBe('a')
})
