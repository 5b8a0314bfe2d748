/** Why the other pipeline gave no answer to check. */
export const PEER_TROUBLES = [
  'peer_unreachable',
  'peer_timeout',
  'peer_status',
  'peer_empty',
  'peer_too_large',
] as const
export type PeerTrouble = (typeof PEER_TROUBLES)[number]

export type PeerAnswer =
  /** The body received, 1 to 65,536 bytes: nothing in it is proved. */
  { did: 'answer'; body: Uint8Array } | { did: 'fail'; trouble: PeerTrouble; detail: string }

/** The agreement route of the other pipeline. */
export interface PeerAgreement {
  /** What it signed for a height, fetched now. Never rejects, and ends within its timeout. */
  fetch(height: number): Promise<PeerAnswer>
}
