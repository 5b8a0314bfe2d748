import type { PreflightResult, Quote } from '../../../schemas/api/purchase.ts'

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

export const QUOTE: Quote = {
  orderId: '2403c9c4a04b269a41b5ce652dcf8b6ab65bf977b56c1addb7b836f8612dfc06',
  network: 'regtest',
  psbt: 'cHNidP8BAP1CAQIAAAAEFF+GMmKxJ+wCHF5X8IdQnw6edpfT8ibuEFdSVFpGspYAAAAAAP3///9v39DZfdP4YN12mPMeglirf0mQZ50gtVp0n58mOmO6PAAAAAAA/f///3FLnz2bqWgz5jU7acgmimmoZFE5jUuot//+yn4cVfk2AAAAAAD9////WUpMH1TBbEeiLUfdd8HLAYoyQg/Bz0HOje8ZmOmrr/kAAAAAAP3///8EsAQAAAAAAAAWABThNZgN7IPBHfUitl9/Nb/rWqMNKhAnAAAAAAAAIlEguihgj4M3MdU5rzvbcfVW0z6CXTqagQVXFJ07Y4VKi8tQwwAAAAAAACJRIDHkSlxDflNzVIPPFGWGg1x38XSEGMi+O5TIjLQL4gXPpkYCAAAAAAAWABThNZgN7IPBHfUitl9/Nb/rWqMNKgAAAAAAAQEfWAIAAAAAAAAWABThNZgN7IPBHfUitl9/Nb/rWqMNKgABAR9YAgAAAAAAABYAFOE1mA3sg8Ed9SK2X381v+taow0qAAEBKxAnAAAAAAAAIlEgMeRKXEN+U3NUg88UZYaDXHfxdIQYyL47lMiMtAviBc8BCEMBQd7sNG+xPOyUEcyfl0/bhYkROoMfqQlh8XWclIUv50Q5QRqvFxy4DsC3QcfrmSfksXHGgJoECPV0VmL9zv3+fsCDAAEBH0ANAwAAAAAAFgAU4TWYDeyDwR31IrZffzW/61qjDSoAAAAAAA==',
  sellerIndex: 2,
  asset: {
    inscriptionId: '36f9551c7ecafeffb7a84b8d395164a8698a26c8693b35e63368a99b3d9f4b71i0',
    outpoint: {
      txid: '36f9551c7ecafeffb7a84b8d395164a8698a26c8693b35e63368a99b3d9f4b71',
      vout: 0,
    },
    inscriptionNumber: 0,
  },
  assetReceiveAddress: 'bcrt1phg5xprurxuca2wd080dhra2k6vlgyhf6n2qs24c5n5ak8p22309sd0mycx',
  paymentAddress: 'bcrt1quy6esr0vs0q3mafzke0h7ddladd2xrf20kcjxw',
  sellerPaymentScriptHex: '512031e44a5c437e53735483cf146586835c77f1748418c8be3b94c88cb40be205cf',
  assetValueSats: '10000',
  sellerProceedsSats: '50000',
  marketplaceFeeSats: '0',
  creatorRoyaltySats: '0',
  networkFeeSats: '842',
  feeRateSatsPerVb: '2',
  estimatedVbytes: '421',
  changeSats: '149158',
  paddingSats: '1200',
  totalBuyerCostSats: '50842',
  inputOutpoints: [
    {
      txid: '96b2465a54525710ee26f2d397769e0e9f5087f0575e1c02ec27b16232865f14',
      vout: 0,
    },
    {
      txid: '3cba633a269f9f745ab5209d6790497fab58821ef39876dd60f8d37dd9d0df6f',
      vout: 0,
    },
    {
      txid: '36f9551c7ecafeffb7a84b8d395164a8698a26c8693b35e63368a99b3d9f4b71',
      vout: 0,
    },
    {
      txid: 'f9afabe99819ef8dce41cfc10f42328a01cbc177dd472da2476cc1541f4c4a59',
      vout: 0,
    },
  ],
  outputScriptsHex: [
    '0014e135980dec83c11df522b65f7f35bfeb5aa30d2a',
    '5120ba28608f833731d539af3bdb71f556d33e825d3a9a810557149d3b63854a8bcb',
    '512031e44a5c437e53735483cf146586835c77f1748418c8be3b94c88cb40be205cf',
    '0014e135980dec83c11df522b65f7f35bfeb5aa30d2a',
  ],
  outputValuesSats: ['1200', '10000', '50000', '149158'],
  checkpoint: {
    height: 140,
    hash: '3d1271ca6f0a6482e83af0ad55bb3dbc928ac8aee96ac74bc309d4f568dd81a5',
    assetIndexHeight: 140,
  },
  observedAt: '2026-11-21T14:26:53.014Z',
  expiresAt: '2026-11-21T14:31:53.014Z',
  notices: [
    {
      code: 'REPLACEABLE_BY_ANYONE',
      message: 'Anyone can replace this purchase with another one before it confirms.',
    },
    {
      code: 'ASSET_OFFSET',
      message:
        '36f9551c7ecafeffb7a84b8d395164a8698a26c8693b35e63368a99b3d9f4b71i0 arrives in output 1 at offset 0.',
    },
    {
      code: 'RUNES_NOT_EXAMINED',
      message: 'The index follows no runes: whether any output holds some is unknown.',
    },
  ],
}

/** The quote’s PSBT, signed by bob. */
export const PREFLIGHT_REQUEST = {
  signedPsbt:
    'cHNidP8BAP1CAQIAAAAEFF+GMmKxJ+wCHF5X8IdQnw6edpfT8ibuEFdSVFpGspYAAAAAAP3///9v39DZfdP4YN12mPMeglirf0mQZ50gtVp0n58mOmO6PAAAAAAA/f///3FLnz2bqWgz5jU7acgmimmoZFE5jUuot//+yn4cVfk2AAAAAAD9////WUpMH1TBbEeiLUfdd8HLAYoyQg/Bz0HOje8ZmOmrr/kAAAAAAP3///8EsAQAAAAAAAAWABThNZgN7IPBHfUitl9/Nb/rWqMNKhAnAAAAAAAAIlEguihgj4M3MdU5rzvbcfVW0z6CXTqagQVXFJ07Y4VKi8tQwwAAAAAAACJRIDHkSlxDflNzVIPPFGWGg1x38XSEGMi+O5TIjLQL4gXPpkYCAAAAAAAWABThNZgN7IPBHfUitl9/Nb/rWqMNKgAAAAAAAQEfWAIAAAAAAAAWABThNZgN7IPBHfUitl9/Nb/rWqMNKgEIawJHMEQCIGpFq5Q0WuKyFMXbsRRMHWzqPEcc/WmFmR2DToXXHzN+AiAMHsd4OkkpM2QvCc2xaBiRKYyBb4rbX7GSkeYuliI2rAEhAtd8Y8elezOhfEllIKHil/l6+/BndzubnZ5RNlr6HCjIAAEBH1gCAAAAAAAAFgAU4TWYDeyDwR31IrZffzW/61qjDSoBCGwCSDBFAiEAlSXz6grGZoNO4wEIzYbW2Ri9pgBetShlAY7gmeWtJkkCICbju1JJIuuw4nRyMNohqlFoZL10RK/WKpEL4L/ghHJHASEC13xjx6V7M6F8SWUgoeKX+Xr78Gd3O5udnlE2WvocKMgAAQErECcAAAAAAAAiUSAx5EpcQ35Tc1SDzxRlhoNcd/F0hBjIvjuUyIy0C+IFzwEIQwFB3uw0b7E87JQRzJ+XT9uFiRE6gx+pCWHxdZyUhS/nRDlBGq8XHLgOwLdBx+uZJ+SxccaAmgQI9XRWYv3O/f5+wIMAAQEfQA0DAAAAAAAWABThNZgN7IPBHfUitl9/Nb/rWqMNKgEIbAJIMEUCIQDPKwmxitggI6mdlfzWjnuptKYh3poimwdAyo3aO+VT1wIgHruAM6+aF2+k8UYYJgFluhQNYysdqncC9/En1RqG52kBIQLXfGPHpXszoXxJZSCh4pf5evvwZ3c7m52eUTZa+hwoyAAAAAAA',
}

export const PREFLIGHT: PreflightResult = {
  finalTxHex:
    '02000000000104145f863262b127ec021c5e57f087509f0e9e7697d3f226ee105752545a46b2960000000000fdffffff6fdfd0d97dd3f860dd7698f31e8258ab7f4990679d20b55a749f9f263a63ba3c0000000000fdffffff714b9f3d9ba96833e6353b69c8268a69a86451398d4ba8b7fffeca7e1c55f9360000000000fdffffff594a4c1f54c16c47a22d47dd77c1cb018a32420fc1cf41ce8def1998e9abaff90000000000fdffffff04b004000000000000160014e135980dec83c11df522b65f7f35bfeb5aa30d2a1027000000000000225120ba28608f833731d539af3bdb71f556d33e825d3a9a810557149d3b63854a8bcb50c300000000000022512031e44a5c437e53735483cf146586835c77f1748418c8be3b94c88cb40be205cfa646020000000000160014e135980dec83c11df522b65f7f35bfeb5aa30d2a0247304402206a45ab94345ae2b214c5dbb1144c1d6cea3c471cfd6985991d834e85d71f337e02200c1ec7783a492933642f09cdb1681891298c816f8adb5fb19291e62e962236ac012102d77c63c7a57b33a17c496520a1e297f97afbf067773b9b9d9e51365afa1c28c8024830450221009525f3ea0ac666834ee30108cd86d6d918bda6005eb52865018ee099e5ad2649022026e3bb524922ebb0e2747230da21aa516864bd7444afd62a910be0bfe0847247012102d77c63c7a57b33a17c496520a1e297f97afbf067773b9b9d9e51365afa1c28c80141deec346fb13cec9411cc9f974fdb8589113a831fa90961f1759c94852fe74439411aaf171cb80ec0b741c7eb9927e4b171c6809a0408f5745662fdcefdfe7ec08302483045022100cf2b09b18ad82023a99d95fcd68e7ba9b4a621de9a229b0740ca8dda3be553d702201ebb8033af9a176fa4f14618260165ba140d632b1daa7702f7f127d51a86e769012102d77c63c7a57b33a17c496520a1e297f97afbf067773b9b9d9e51365afa1c28c800000000',
  orderId: '2403c9c4a04b269a41b5ce652dcf8b6ab65bf977b56c1addb7b836f8612dfc06',
  allowed: true,
  txid: '025ce2d528d64bb9704dcc8f8dbb0b16d6d3a0508adb4522d8c6a00287bf6082',
  vsize: 420,
  feesSats: '842',
  checkedAt: '2026-11-21T14:26:53.052Z',
  notices: [
    {
      code: 'ASSET_OFFSET',
      message:
        '36f9551c7ecafeffb7a84b8d395164a8698a26c8693b35e63368a99b3d9f4b71i0 arrives in output 1 at offset 0.',
    },
    {
      code: 'RUNES_NOT_EXAMINED',
      message: 'The index follows no runes: whether any input holds some is unknown.',
    },
  ],
}
