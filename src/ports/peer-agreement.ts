/** Why the other pipeline gave nothing to look at. */
export const PEER_TROUBLES = [
  'peer_unreachable',
  'peer_timeout',
  'peer_status',
  'peer_empty',
  'peer_too_large',
] as const
export type PeerTrouble = (typeof PEER_TROUBLES)[number]

export type PeerAnswer =
  /** What came, at most 65,536 bytes and at least one: nothing of it is proved. */
  { did: 'answer'; body: Uint8Array } | { did: 'fail'; trouble: PeerTrouble; detail: string }

/** The agreement route of the other pipeline. */
export interface PeerAgreement {
  /** What it signed for a height, asked now. Never rejects, and ends within its time-out. */
  fetch(height: number): Promise<PeerAnswer>
}
