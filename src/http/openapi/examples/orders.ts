import type {
  ActivityPage,
  OrderArtifact,
  OrderPage,
  OrderSummary,
} from '../../../schemas/order.ts'
import type { NostrEnvelope } from '../../../schemas/wire/nostr.ts'

/** Alice’s inscription, LIVE. */
export const ORDER: OrderSummary = {
  id: '2403c9c4a04b269a41b5ce652dcf8b6ab65bf977b56c1addb7b836f8612dfc06',
  network: 'regtest',
  inspection: {
    psbtVersion: 0,
    unsignedTxid: '00c222db7d0387cfd66fc83ae14c244b88c48274ec69344e26b5e042bff944e7',
    digest: 'fcf4337fdc5779d521d9f8c7dafe8cae1d328cbb0d477bb1905271267aab5a7b',
    inputCount: 1,
    outputCount: 1,
    inputOutpoints: [
      {
        txid: '36f9551c7ecafeffb7a84b8d395164a8698a26c8693b35e63368a99b3d9f4b71',
        vout: 0,
      },
    ],
    inputWitnessUtxos: [
      {
        valueSats: '10000',
        scriptHex: '512031e44a5c437e53735483cf146586835c77f1748418c8be3b94c88cb40be205cf',
      },
    ],
    outputValuesSats: ['50000'],
    outputScriptsHex: ['512031e44a5c437e53735483cf146586835c77f1748418c8be3b94c88cb40be205cf'],
    hasProprietaryFields: false,
    hasUnknownFields: false,
    signatureStatus: 'VALID',
    orderClass: 'ASK_ANYONECANPAY',
    safety: 'PUBLIC_RACEABLE',
    reasons: [],
  },
  assets: [
    {
      inscriptionId: '36f9551c7ecafeffb7a84b8d395164a8698a26c8693b35e63368a99b3d9f4b71i0',
      outpoint: {
        txid: '36f9551c7ecafeffb7a84b8d395164a8698a26c8693b35e63368a99b3d9f4b71',
        vout: 0,
      },
      inscriptionNumber: 0,
    },
  ],
  sources: [
    {
      source: 'direct-import',
      sourceId: 'seed:alice',
      observedAt: '2026-11-21T14:26:50.850Z',
      claimedAsset: {
        inscriptionId: '36f9551c7ecafeffb7a84b8d395164a8698a26c8693b35e63368a99b3d9f4b71i0',
        outpoint: {
          txid: '36f9551c7ecafeffb7a84b8d395164a8698a26c8693b35e63368a99b3d9f4b71',
          vout: 0,
        },
      },
    },
  ],
  state: 'LIVE',
  actionability: 'HANDOFF_READY',
  validation: {
    checkedAt: '2026-11-21T14:26:51.859Z',
    nodeStatus: 'READY',
    assetStatus: 'VERIFIED',
    nodeTip: {
      height: 123,
      hash: '01c5f5fe4858b68ae792daada87db4a43425f3ece18280d844bf884de9133c49',
    },
    reasons: ['runes_not_examined'],
  },
  sellerScriptHex: '512031e44a5c437e53735483cf146586835c77f1748418c8be3b94c88cb40be205cf',
  protocolId: 'inscriptions',
  side: 'ASK',
  quotedPriceSats: '50000',
  createdAt: '2026-11-21T14:26:50.850Z',
  updatedAt: '2026-11-21T14:26:51.001Z',
}

const { inspection, validation, network, state, actionability } = ORDER

export const PAGE: OrderPage = {
  orders: [ORDER],
  total: 5,
  limit: 1,
  nextCursor:
    'AUx_F4-aFAdnN0ngwXfz-g-7dcMK-u6I6zfh3DaHjDOcqt6bKGuvvISDQSxQdgSA2nsidmFsdWUiOiI0MDAwMCIsImlkIjoiM2RkOWIyMjYyYjEyZDBkNzE5Zjk1MmIyMzI5NzRiZDM5ZTUxNjQwYzc5YjdjOTY1ZGNhMTc1YWJiZjllMjEzZCJ9',
  hasMore: true,
}

export const ARTIFACT: OrderArtifact = {
  ...{ inspection, validation, network, state, actionability },
  orderId: '2403c9c4a04b269a41b5ce652dcf8b6ab65bf977b56c1addb7b836f8612dfc06',
  psbt: 'cHNidP8BAF4CAAAAAXFLnz2bqWgz5jU7acgmimmoZFE5jUuot//+yn4cVfk2AAAAAAD9////AVDDAAAAAAAAIlEgMeRKXEN+U3NUg88UZYaDXHfxdIQYyL47lMiMtAviBc8AAAAAAAEBKxAnAAAAAAAAIlEgMeRKXEN+U3NUg88UZYaDXHfxdIQYyL47lMiMtAviBc8BCEMBQd7sNG+xPOyUEcyfl0/bhYkROoMfqQlh8XWclIUv50Q5QRqvFxy4DsC3QcfrmSfksXHGgJoECPV0VmL9zv3+fsCDAAA=',
  digest: 'fcf4337fdc5779d521d9f8c7dafe8cae1d328cbb0d477bb1905271267aab5a7b',
  verification: {
    checkedAt: '2026-11-21T14:26:51.859Z',
    ageSeconds: 1.053,
    maxAgeSeconds: 600,
    stale: false,
  },
  notices: [
    {
      code: 'REPLACEABLE_BY_ANYONE',
      message: 'Anyone can replace a purchase of this order before it confirms.',
    },
  ],
}

export const ENVELOPE: NostrEnvelope = {
  kind: 802,
  created_at: 1795271212,
  tags: [
    ['n', 'regtest'],
    ['t', 'sell'],
    ['i', '36f9551c7ecafeffb7a84b8d395164a8698a26c8693b35e63368a99b3d9f4b71i0'],
    ['u', '36f9551c7ecafeffb7a84b8d395164a8698a26c8693b35e63368a99b3d9f4b71:0'],
    ['s', '50000'],
    ['x', 'market'],
  ],
  content:
    'cHNidP8BAF4CAAAAAXFLnz2bqWgz5jU7acgmimmoZFE5jUuot//+yn4cVfk2AAAAAAD9////AVDDAAAAAAAAIlEgMeRKXEN+U3NUg88UZYaDXHfxdIQYyL47lMiMtAviBc8AAAAAAAEBKxAnAAAAAAAAIlEgMeRKXEN+U3NUg88UZYaDXHfxdIQYyL47lMiMtAviBc8BCEMBQd7sNG+xPOyUEcyfl0/bhYkROoMfqQlh8XWclIUv50Q5QRqvFxy4DsC3QcfrmSfksXHGgJoECPV0VmL9zv3+fsCDAAA=',
  notice:
    'Unsigned: sign it with your own Nostr key and publish it yourself. Publishing hands the signed PSBT to everybody and cannot be recalled: whoever has it can complete it until the offered output is spent.',
}

export const ACTIVITY_EXAMPLE: ActivityPage = {
  entries: [
    {
      id: '2403c9c4a04b269a41b5ce652dcf8b6ab65bf977b56c1addb7b836f8612dfc06:2',
      orderId: '2403c9c4a04b269a41b5ce652dcf8b6ab65bf977b56c1addb7b836f8612dfc06',
      fromState: 'PENDING_NODE',
      toState: 'LIVE',
      reason: 'verified',
      actor: 'reconciler',
      observedAt: '2026-11-21T14:26:50.901Z',
    },
    {
      id: '2403c9c4a04b269a41b5ce652dcf8b6ab65bf977b56c1addb7b836f8612dfc06:1',
      orderId: '2403c9c4a04b269a41b5ce652dcf8b6ab65bf977b56c1addb7b836f8612dfc06',
      fromState: null,
      toState: 'PENDING_NODE',
      reason: 'awaiting_verification',
      actor: 'import:direct-import',
      observedAt: '2026-11-21T14:26:50.850Z',
    },
  ],
  limit: 2,
  nextCursor: '',
  hasMore: false,
}
