import type { InspectResult } from '../../../schemas/api/inspection.ts'

/** Alice’s ask as some wallets finalise it, without the sighash byte, and a price in the wrong unit. */
export const INSPECT_REQUEST = {
  psbt: 'cHNidP8BAF4CAAAAAXFLnz2bqWgz5jU7acgmimmoZFE5jUuot//+yn4cVfk2AAAAAAD9////AVDDAAAAAAAAIlEgMeRKXEN+U3NUg88UZYaDXHfxdIQYyL47lMiMtAviBc8AAAAAAAEBKxAnAAAAAAAAIlEgMeRKXEN+U3NUg88UZYaDXHfxdIQYyL47lMiMtAviBc8BCEIBQN7sNG+xPOyUEcyfl0/bhYkROoMfqQlh8XWclIUv50Q5QRqvFxy4DsC3QcfrmSfksXHGgJoECPV0VmL9zv3+fsAAAA==',
  claimedPriceSats: '5000000000000',
  protocolId: 'inscriptions',
}

export const INSPECTED: InspectResult = {
  network: 'regtest',
  kind: 'PSBT',
  form: 'BASE64',
  refusedAs: null,
  inspection: {
    psbtVersion: 0,
    unsignedTxid: '00c222db7d0387cfd66fc83ae14c244b88c48274ec69344e26b5e042bff944e7',
    digest: '92543263fca03309f2bb9f09327abed87bf0bb2249fb188190c73763b0f5cd15',
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
    signatureStatus: 'INVALID',
    orderClass: 'ASK_ANYONECANPAY',
    safety: 'PUBLIC_RACEABLE',
    reasons: ['sighash_default'],
  },
  order: {
    id: '2403c9c4a04b269a41b5ce652dcf8b6ab65bf977b56c1addb7b836f8612dfc06',
    exists: true,
    state: 'LIVE',
  },
  problems: [
    {
      code: 'sighash_byte_missing_recoverable',
      effect: 'NOT_LIVE',
      place: {
        pointer: '/psbt',
        input: 0,
      },
      message:
        'A taproot signature that is valid only with the byte 83 appended: anybody can append it, so the authorisation is public.',
      remedy:
        'Import `repaired.psbt`: the same order with its byte. If the price is no longer meant, spend the output: anybody who has the PSBT can append the byte and buy.',
    },
    {
      code: 'price_claim_differs',
      effect: 'NOTED',
      place: {
        pointer: '/claimedPriceSats',
      },
      message: 'The claimed price is not the one that is signed.',
      remedy: 'Nothing if the signed price is meant: it counts. Else sign another one.',
      details: {
        claimedSats: '5000000000000',
        signedSats: '50000',
        factor: '100000000',
        explained: 'an amount in sats that was taken for one in BTC',
      },
    },
  ],
  verdict: {
    state: 'REJECTED',
    validation: {
      checkedAt: '2026-11-23T19:13:24.219Z',
      nodeStatus: 'READY',
      assetStatus: 'VERIFIED',
      nodeTip: {
        height: 140,
        hash: '6780edbf199cfa1174770f0d5a7791372dfe36814f8d8f1759073a68591fc69c',
      },
      reasons: ['sighash_byte_missing_recoverable', 'price_claim_differs'],
    },
    indexTip: {
      height: 140,
      hash: '6780edbf199cfa1174770f0d5a7791372dfe36814f8d8f1759073a68591fc69c',
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
  },
  repaired: {
    orderId: '2403c9c4a04b269a41b5ce652dcf8b6ab65bf977b56c1addb7b836f8612dfc06',
    psbt: 'cHNidP8BAF4CAAAAAXFLnz2bqWgz5jU7acgmimmoZFE5jUuot//+yn4cVfk2AAAAAAD9////AVDDAAAAAAAAIlEgMeRKXEN+U3NUg88UZYaDXHfxdIQYyL47lMiMtAviBc8AAAAAAAEBKxAnAAAAAAAAIlEgMeRKXEN+U3NUg88UZYaDXHfxdIQYyL47lMiMtAviBc8BCEMBQd7sNG+xPOyUEcyfl0/bhYkROoMfqQlh8XWclIUv50Q5QRqvFxy4DsC3QcfrmSfksXHGgJoECPV0VmL9zv3+fsCDAAA=',
    digest: 'fcf4337fdc5779d521d9f8c7dafe8cae1d328cbb0d477bb1905271267aab5a7b',
    mends: ['sighash_byte_missing_recoverable'],
    verdict: {
      state: 'LIVE',
      validation: {
        checkedAt: '2026-11-23T19:13:24.219Z',
        nodeStatus: 'READY',
        assetStatus: 'VERIFIED',
        nodeTip: {
          height: 140,
          hash: '6780edbf199cfa1174770f0d5a7791372dfe36814f8d8f1759073a68591fc69c',
        },
        reasons: ['runes_not_examined', 'price_claim_differs'],
      },
      indexTip: {
        height: 140,
        hash: '6780edbf199cfa1174770f0d5a7791372dfe36814f8d8f1759073a68591fc69c',
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
    },
  },
  flow: {
    side: 'ASK',
    valueFrom: 'NODE',
    sellerInputSats: '10000',
    postageSats: '10000',
    payoutSats: '50000',
    grossPriceSats: '50000',
    netPriceSats: '40000',
    marketplaceFeeSats: '0',
    creatorRoyaltySats: '0',
    networkFeePaidBy: 'BUYER',
  },
}
