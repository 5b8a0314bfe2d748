import type { BuildAskResult } from '../../../schemas/api/listing.ts'
import type { OrderSummary } from '../../../schemas/order.ts'

/** Judy offers a coin of hers. */
export const BUILD_REQUEST = {
  protocolId: 'rare-sats',
  token: 'uncommon',
  quotedPriceSats: '70000',
  sellerPaymentAddress: 'bcrt1qyxl7m8sa3yxpdywvwkz0px23jkxlavscphens9',
  outpoint: {
    txid: 'b6dc792b6f3a514ab70cf84381ad639d0c2818407c6a2d14c8bf6bd0e9c4e0bd',
    vout: 0,
  },
}

export const BUILT: BuildAskResult = {
  psbt: 'cHNidP8BAFICAAAAAb3gxOnQa7/IFC1qfEAYKAydY62BQ/gMt0pROm8redy2AAAAAAD9////AXARAQAAAAAAFgAUIb/tnh2JDBaRzHWE8JlRlY3+shgAAAAAAAEAfQIAAAABvtg3P8O8pugd5cYl/ObPtaqXfDk3UbEesO9N319VkVgAAAAAAP3///8CECcAAAAAAAAWABQhv+2eHYkMFpHMdYTwmVGVjf6yGNLJBSoBAAAAIlEgPkr0o2islLSOhfA0RwPY8fW8WD98fXqz5V2gAKSTvuAAAAAAAQEfECcAAAAAAAAWABQhv+2eHYkMFpHMdYTwmVGVjf6yGAEDBIMAAAAAAA==',
  inspection: {
    psbtVersion: 0,
    unsignedTxid: 'ef4dd1b27e2b6f402b230f41ed6f333d1e00b11ed5fe61947d7422fd18d1aaa7',
    digest: '68aa1ff0f6c0a33f92da2ac7073911d370fcf6c6e9cceadd4e2bd1a6b2411bb5',
    inputCount: 1,
    outputCount: 1,
    inputOutpoints: [
      {
        txid: 'b6dc792b6f3a514ab70cf84381ad639d0c2818407c6a2d14c8bf6bd0e9c4e0bd',
        vout: 0,
      },
    ],
    inputWitnessUtxos: [
      {
        valueSats: '10000',
        scriptHex: '001421bfed9e1d890c1691cc7584f09951958dfeb218',
      },
    ],
    outputValuesSats: ['70000'],
    outputScriptsHex: ['001421bfed9e1d890c1691cc7584f09951958dfeb218'],
    hasProprietaryFields: false,
    hasUnknownFields: false,
    signatureStatus: 'NONE',
    orderClass: 'ASK_ANYONECANPAY',
    safety: 'PUBLIC_RACEABLE',
    reasons: [],
  },
  outpoint: {
    txid: 'b6dc792b6f3a514ab70cf84381ad639d0c2818407c6a2d14c8bf6bd0e9c4e0bd',
    vout: 0,
  },
  nodeTip: {
    height: 140,
    hash: '3d1271ca6f0a6482e83af0ad55bb3dbc928ac8aee96ac74bc309d4f568dd81a5',
  },
  protocolId: 'rare-sats',
  builderProfile: 'OPEN_ASK',
}

/** What was built, signed by judy. */
export const PUBLISH_REQUEST = {
  psbt: 'cHNidP8BAFICAAAAAb3gxOnQa7/IFC1qfEAYKAydY62BQ/gMt0pROm8redy2AAAAAAD9////AXARAQAAAAAAFgAUIb/tnh2JDBaRzHWE8JlRlY3+shgAAAAAAAEAfQIAAAABvtg3P8O8pugd5cYl/ObPtaqXfDk3UbEesO9N319VkVgAAAAAAP3///8CECcAAAAAAAAWABQhv+2eHYkMFpHMdYTwmVGVjf6yGNLJBSoBAAAAIlEgPkr0o2islLSOhfA0RwPY8fW8WD98fXqz5V2gAKSTvuAAAAAAAQEfECcAAAAAAAAWABQhv+2eHYkMFpHMdYTwmVGVjf6yGAEIbAJIMEUCIQDDv2ABh9JlQKJC4u7TPiCjQN77Th+/2ZWo0nnt+6IClwIgKH9tqY4gHXa4MkGyzzDBBfa/cVfCsM4mbNa2wvcZaR+DIQON4jGxw1EySViZWjVQRCJ7Hd6B8EdUuEnh9qFjPDVjcgAA',
}

export const PUBLISHED: OrderSummary = {
  id: '1d49a6f9148c03f3734633bec7da404481fe8536e3342faa46a7654d771182ea',
  network: 'regtest',
  inspection: {
    psbtVersion: 0,
    unsignedTxid: 'ef4dd1b27e2b6f402b230f41ed6f333d1e00b11ed5fe61947d7422fd18d1aaa7',
    digest: 'a1ffc771127c61fa57fc308200487db5ac9d88355f2155db5b2c1b1ae2bc489a',
    inputCount: 1,
    outputCount: 1,
    inputOutpoints: [
      {
        txid: 'b6dc792b6f3a514ab70cf84381ad639d0c2818407c6a2d14c8bf6bd0e9c4e0bd',
        vout: 0,
      },
    ],
    inputWitnessUtxos: [
      {
        valueSats: '10000',
        scriptHex: '001421bfed9e1d890c1691cc7584f09951958dfeb218',
      },
    ],
    outputValuesSats: ['70000'],
    outputScriptsHex: ['001421bfed9e1d890c1691cc7584f09951958dfeb218'],
    hasProprietaryFields: false,
    hasUnknownFields: false,
    signatureStatus: 'VALID',
    orderClass: 'ASK_ANYONECANPAY',
    safety: 'PUBLIC_RACEABLE',
    reasons: [],
  },
  assets: [],
  sources: [
    {
      source: 'direct-import',
      sourceId: 'a1ffc771127c61fa57fc308200487db5ac9d88355f2155db5b2c1b1ae2bc489a',
      observedAt: '2026-11-21T14:26:53.195Z',
      claimedPriceSats: '70000',
    },
  ],
  state: 'LIVE',
  actionability: 'HANDOFF_READY',
  validation: {
    checkedAt: '2026-11-21T14:26:53.200Z',
    nodeStatus: 'READY',
    assetStatus: 'NOT_REQUESTED',
    nodeTip: {
      height: 140,
      hash: '3d1271ca6f0a6482e83af0ad55bb3dbc928ac8aee96ac74bc309d4f568dd81a5',
    },
    reasons: ['runes_not_examined'],
  },
  sellerScriptHex: '001421bfed9e1d890c1691cc7584f09951958dfeb218',
  protocolId: 'rare-sats',
  token: 'uncommon',
  side: 'ASK',
  quotedPriceSats: '70000',
  createdAt: '2026-11-21T14:26:53.195Z',
  updatedAt: '2026-11-21T14:26:53.202Z',
}
