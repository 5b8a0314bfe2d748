import kafkajs, { type PartitionAssigner } from 'kafkajs'

const { MemberAssignment, MemberMetadata } = kafkajs.AssignerProtocol
const NAME = 'HolderFirst'
const VERSION = 0

/**
 * Gives a topic's only partition to the member that has it, so that one that joins takes nothing
 * away. Each member says since when it has the partition, in milliseconds, or null. A process that
 * slept through its loss still says so: the one that had it last has it.
 */
export const holderFirst =
  (since: () => number | null): PartitionAssigner =>
  () => ({
    name: NAME,
    version: VERSION,
    protocol: ({ topics }) => ({
      name: NAME,
      metadata: MemberMetadata.encode({
        version: VERSION,
        topics,
        userData: Buffer.from(JSON.stringify(since())),
      }),
    }),
    async assign({ members, topics }) {
      const sinceOf = (metadata: Buffer): number => {
        const said = MemberMetadata.decode(metadata)?.userData.toString()
        return said ? (JSON.parse(said) ?? 0) : 0
      }
      const [holder] = members
        .map(({ memberId, memberMetadata }) => ({ memberId, since: sinceOf(memberMetadata) }))
        .sort((a, b) => b.since - a.since || (a.memberId < b.memberId ? -1 : 1))
      return members.map(({ memberId }) => ({
        memberId,
        memberAssignment: MemberAssignment.encode({
          version: VERSION,
          assignment: Object.fromEntries(
            topics.map((topic) => [topic, memberId === holder?.memberId ? [0] : []]),
          ),
          userData: Buffer.alloc(0),
        }),
      }))
    },
  })
