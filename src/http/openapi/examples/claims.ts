import type { OwnershipChallenge, OwnershipProof } from '../../../schemas/api/ownership.ts'

/** Carol’s ask, already on the book: one more source of the same order. */
export const IMPORT_REQUEST = {
  psbt: 'cHNidP8BAFICAAAAAQQACSaIvPB9qRh1nCABPsL0MqHkz2S2oe9tr5UFfXfLAAAAAAD9////AQhSAAAAAAAAFgAUJaPI3tMwXUwkbppx4Dctr1qzDAUAAAAAAAEBHxAnAAAAAAAAFgAUJaPI3tMwXUwkbppx4Dctr1qzDAUBCGwCSDBFAiEAvdwgFc/DPjOnJzb0yWO3h8x2y2Qkz8EUMcjrn5WvqYoCIDYCjBkqho8/Vnt2VA5YSAdxARqTWuEkc1iEb0h9aFCjgyECTtF23LVf0XEDI78tWQQvd2QjfpKLQ3LYgfvWQv4s0W8AAA==',
  asset: {
    inscriptionId: 'cb777d0595af6defa1b664cfe4a132f4c23e01209c7518a97df0bc8826090004i0',
    outpoint: {
      txid: 'cb777d0595af6defa1b664cfe4a132f4c23e01209c7518a97df0bc8826090004',
      vout: 0,
    },
  },
  protocolId: 'names',
  sourceId: 'seed:carol',
}

/** Dave’s ask as a signed event. */
export const EVENT = {
  id: '5bb6358c96998d2d4fc0c4332696b4fd89f8b8b9e3c17cf5aec5cb95d4163262',
  pubkey: 'abfb5363092e78695918c9d609bbcfad6ef67a27f6bf93bba449dcbb5a84066b',
  created_at: 1790000000,
  kind: 802,
  tags: [
    ['n', 'regtest'],
    ['t', 'sell'],
    ['i', '7a3be4022241dee91887c57462b433facf8047c633a575696aa6de54111ad889i0'],
    ['u', '7a3be4022241dee91887c57462b433facf8047c633a575696aa6de54111ad889:0'],
    ['s', '33000'],
    ['x', 'market'],
  ],
  content:
    'cHNidP8BAFMCAAAAAYnYGhFU3qZqaXWlM8ZHgM/6M7RidMWHGOneQSIC5Dt6AAAAAAD9////AeiAAAAAAAAAF6kUdZdT82qmmPHsa9jLkYnaSUfdPgeHAAAAAAABASAQJwAAAAAAABepFHWXU/Nqppjx7GvYy5GJ2klH3T4HhwEHFxYAFNk/LN2uOXInDkC4F4Xgt1vI2eQTAQhsAkgwRQIhALHuWOwpS0qX20Cnszg9yjDFrGHoMDFHJubORZ1EE2H+AiBf9xj99vKbF2ACmqzgg1iMYRT9m9ufH8GN5JPaJ2RZx4MhArYXPHq5RCurYHBz1+cwyLWXwd0BqaaV+MLaIn46bxhqAAA=',
  sig: 'b953bfa21ba5c51b7127c96db6c49ce1e381d459034ce5a934d1d88055f5d09cae110bbf55aa594fb7e81942d3bdbc740ac30a9144321ba6bb7cc5de42d40449',
}

/** The challenge for carol’s order. */
export const CHALLENGE: OwnershipChallenge = {
  orderId: '1fa44cc87055251b0db2c3abefa15cb88c17fb29ba8d70db481d51f27a34b1f8',
  address: 'bcrt1qyk3u3hknxpw5cfrwnfc7qded4adtxrq96jdxsr',
  message:
    'service: market\norigin: http://127.0.0.1:0\npurpose: withdraw this order\nnetwork: regtest\norder: 1fa44cc87055251b0db2c3abefa15cb88c17fb29ba8d70db481d51f27a34b1f8\noutpoint: cb777d0595af6defa1b664cfe4a132f4c23e01209c7518a97df0bc8826090004:0\naddress: bcrt1qyk3u3hknxpw5cfrwnfc7qded4adtxrq96jdxsr\nwindowStart: 2026-11-21T14:20:00.000Z\nexpiresAt: 2026-11-21T14:40:00.000Z',
  windowStart: '2026-11-21T14:20:00.000Z',
  expiresAt: '2026-11-21T14:40:00.000Z',
}

/** Carol’s answer to it; long expired. */
export const PROOF: OwnershipProof = {
  address: 'bcrt1qyk3u3hknxpw5cfrwnfc7qded4adtxrq96jdxsr',
  signature:
    'AkgwRQIhANJIc1jAEHl5Eq+NqgvLSucPCkAteuCm4sYfRSTA0+irAiA1GmdcoCHh6ca/IMqTlQKn0REcymNYbgIdtDIKUrXuVQEhAk7Rdty1X9FxAyO/LVkEL3dkI36Si0Ny2IH71kL+LNFv',
  reason: 'sold elsewhere',
}
