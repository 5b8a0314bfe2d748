// The bodies of requests.ts. Each is signed by accounts of the devnet, or names outputs of theirs.

import type { OwnershipProof } from '../../../schemas/api/ownership.ts'

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

/** Alice’s ask as some wallets finalise it, without the sighash byte, and a price in the wrong unit. */
export const INSPECT_REQUEST = {
  psbt: 'cHNidP8BAF4CAAAAAXFLnz2bqWgz5jU7acgmimmoZFE5jUuot//+yn4cVfk2AAAAAAD9////AVDDAAAAAAAAIlEgMeRKXEN+U3NUg88UZYaDXHfxdIQYyL47lMiMtAviBc8AAAAAAAEBKxAnAAAAAAAAIlEgMeRKXEN+U3NUg88UZYaDXHfxdIQYyL47lMiMtAviBc8BCEIBQLY9A08bWTTVvrjOnaApzSD7VydWx4JUXdlR++iIk7AwjDkdPqKhtsd9C4MAE5T4oEQwE7frX+xoEPRCwio6YKcAAA==',
  claimedPriceSats: '5000000000000',
  protocolId: 'inscriptions',
}

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

/** The recorded answer to it, signed by judy. */
export const PUBLISH_REQUEST = {
  psbt: 'cHNidP8BAFICAAAAAb3gxOnQa7/IFC1qfEAYKAydY62BQ/gMt0pROm8redy2AAAAAAD9////AXARAQAAAAAAFgAUIb/tnh2JDBaRzHWE8JlRlY3+shgAAAAAAAEAfQIAAAABvtg3P8O8pugd5cYl/ObPtaqXfDk3UbEesO9N319VkVgAAAAAAP3///8CECcAAAAAAAAWABQhv+2eHYkMFpHMdYTwmVGVjf6yGNLJBSoBAAAAIlEgPkr0o2islLSOhfA0RwPY8fW8WD98fXqz5V2gAKSTvuAAAAAAAQEfECcAAAAAAAAWABQhv+2eHYkMFpHMdYTwmVGVjf6yGAEIbAJIMEUCIQDDv2ABh9JlQKJC4u7TPiCjQN77Th+/2ZWo0nnt+6IClwIgKH9tqY4gHXa4MkGyzzDBBfa/cVfCsM4mbNa2wvcZaR+DIQON4jGxw1EySViZWjVQRCJ7Hd6B8EdUuEnh9qFjPDVjcgAA',
}

/** Bob names outputs of his own. */
export const QUOTE_REQUEST = {
  assetReceiveAddress: 'bcrt1phg5xprurxuca2wd080dhra2k6vlgyhf6n2qs24c5n5ak8p22309sd0mycx',
  paymentAddress: 'bcrt1quy6esr0vs0q3mafzke0h7ddladd2xrf20kcjxw',
  paddingUtxos: [
    {
      txid: '96b2465a54525710ee26f2d397769e0e9f5087f0575e1c02ec27b16232865f14',
      vout: 0,
    },
    {
      txid: '3cba633a269f9f745ab5209d6790497fab58821ef39876dd60f8d37dd9d0df6f',
      vout: 0,
    },
  ],
  fundingUtxos: [
    {
      txid: 'f9afabe99819ef8dce41cfc10f42328a01cbc177dd472da2476cc1541f4c4a59',
      vout: 0,
    },
  ],
  feeRateSatsPerVb: '2',
}

/** One of bob's, and the one that alice offers. */
export const CHECK_REQUEST = {
  outpoints: [
    {
      txid: '96b2465a54525710ee26f2d397769e0e9f5087f0575e1c02ec27b16232865f14',
      vout: 0,
    },
    {
      txid: '36f9551c7ecafeffb7a84b8d395164a8698a26c8693b35e63368a99b3d9f4b71',
      vout: 0,
    },
  ],
}

/** Carol moves her output to where it is. */
export const SELF_SPEND_REQUEST = {
  destinationAddress: 'bcrt1qyk3u3hknxpw5cfrwnfc7qded4adtxrq96jdxsr',
  feeRateSatsPerVb: '2',
}

/** Bob has no small outputs yet. */
export const PADDINGS_REQUEST = {
  paymentAddress: QUOTE_REQUEST.paymentAddress,
  fundingUtxos: QUOTE_REQUEST.fundingUtxos,
  feeRateSatsPerVb: '2',
}

/** The PSBT of the recorded quote, signed by bob. */
export const PREFLIGHT_REQUEST = {
  signedPsbt:
    'cHNidP8BAP1CAQIAAAAEFF+GMmKxJ+wCHF5X8IdQnw6edpfT8ibuEFdSVFpGspYAAAAAAP3///9v39DZfdP4YN12mPMeglirf0mQZ50gtVp0n58mOmO6PAAAAAAA/f///3FLnz2bqWgz5jU7acgmimmoZFE5jUuot//+yn4cVfk2AAAAAAD9////WUpMH1TBbEeiLUfdd8HLAYoyQg/Bz0HOje8ZmOmrr/kAAAAAAP3///8EsAQAAAAAAAAWABThNZgN7IPBHfUitl9/Nb/rWqMNKhAnAAAAAAAAIlEguihgj4M3MdU5rzvbcfVW0z6CXTqagQVXFJ07Y4VKi8tQwwAAAAAAACJRIDHkSlxDflNzVIPPFGWGg1x38XSEGMi+O5TIjLQL4gXPpkYCAAAAAAAWABThNZgN7IPBHfUitl9/Nb/rWqMNKgAAAAAAAQEfWAIAAAAAAAAWABThNZgN7IPBHfUitl9/Nb/rWqMNKgEIawJHMEQCIGpFq5Q0WuKyFMXbsRRMHWzqPEcc/WmFmR2DToXXHzN+AiAMHsd4OkkpM2QvCc2xaBiRKYyBb4rbX7GSkeYuliI2rAEhAtd8Y8elezOhfEllIKHil/l6+/BndzubnZ5RNlr6HCjIAAEBH1gCAAAAAAAAFgAU4TWYDeyDwR31IrZffzW/61qjDSoBCGwCSDBFAiEAlSXz6grGZoNO4wEIzYbW2Ri9pgBetShlAY7gmeWtJkkCICbju1JJIuuw4nRyMNohqlFoZL10RK/WKpEL4L/ghHJHASEC13xjx6V7M6F8SWUgoeKX+Xr78Gd3O5udnlE2WvocKMgAAQErECcAAAAAAAAiUSAx5EpcQ35Tc1SDzxRlhoNcd/F0hBjIvjuUyIy0C+IFzwEIQwFBtj0DTxtZNNW+uM6doCnNIPtXJ1bHglRd2VH76IiTsDCMOR0+oqG2x30LgwATlPigRDATt+tf7GgQ9ELCKjpgp4MAAQEfQA0DAAAAAAAWABThNZgN7IPBHfUitl9/Nb/rWqMNKgEIbAJIMEUCIQDPKwmxitggI6mdlfzWjnuptKYh3poimwdAyo3aO+VT1wIgHruAM6+aF2+k8UYYJgFluhQNYysdqncC9/En1RqG52kBIQLXfGPHpXszoXxJZSCh4pf5evvwZ3c7m52eUTZa+hwoyAAAAAAA',
}

/** Carol’s answer to the recorded challenge, which expired long ago. */
export const PROOF: OwnershipProof = {
  address: 'bcrt1qyk3u3hknxpw5cfrwnfc7qded4adtxrq96jdxsr',
  signature:
    'AkgwRQIhANJIc1jAEHl5Eq+NqgvLSucPCkAteuCm4sYfRSTA0+irAiA1GmdcoCHh6ca/IMqTlQKn0REcymNYbgIdtDIKUrXuVQEhAk7Rdty1X9FxAyO/LVkEL3dkI36Si0Ny2IH71kL+LNFv',
  reason: 'sold elsewhere',
}
