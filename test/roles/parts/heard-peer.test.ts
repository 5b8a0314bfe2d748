import { expect, test } from 'vitest'
import { PEER_TROUBLES, type PeerAnswer } from '../../../src/ports/folds/peer-agreement.ts'
import { heardPeer } from '../../../src/roles/parts/pairing.ts'

const failed = PEER_TROUBLES.map((trouble): PeerAnswer => ({ did: 'fail', trouble, detail: 'why' }))

test.each<[string, PeerAnswer]>([
  ['answer', { did: 'answer', body: Buffer.from('{}') }],
  ...failed.map((answer): [string, PeerAnswer] => [
    answer.did === 'fail' ? answer.trouble : '',
    answer,
  ]),
])(
  '%s: a peer is away when it cannot be reached, and for no other reason',
  async (name, answer) => {
    const heard: string[] = []
    const peer = heardPeer(
      { fetch: async () => answer },
      { failed: () => heard.push('away'), answered: () => heard.push('there') },
    )
    expect(await peer.fetch(7)).toBe(answer)
    const isAway = ['peer_unreachable', 'peer_timeout'].includes(name)
    expect(heard).toEqual([isAway ? 'away' : 'there'])
  },
)
