/**
 * A cold half of a document without the values of one order. Documents are compressed with this
 * dictionary: it may only change together with `LAYOUT`. Text near the end costs least to refer to.
 */
export const COLD_DICTIONARY = Buffer.from(
  '"bid_funding_spent""outpoint_missing""signature_invalid""signature_unverifiable""asset_missing"' +
    '"UNAVAILABLE""NOT_READY""UNVERIFIED""REJECTED""withdrawn""spent_elsewhere""unsettled""published""portable-nostr802"' +
    '"spend":{"txid":"","inputIndex":0,"block":{"height":,"hash":""},"settlementTxid":"","settled":true,' +
    '"pending":{"requestId":"","begunAt":{"epoch":1,"n":0},"attempt":1,"touched":false},' +
    '"claimedPrice":"","claimedAsset":{"inscriptionId":"","number":,"outpoint":""},"eventId":"","eventPubkey":"","signatureVerified":true' +
    '{"anchor":{"tip":{"height":900000,"hash":"000000000000000000"},"mempoolSequence":12,"index":{"height":900000,' +
    '"hash":"000000000000000000","version":"ord 0.27.1"},"watermark":{"epoch":1,"n":5}},"attempt":1,"claims":[],' +
    '"closedAt":null,"hash":"","indexProof":null,"kept":{"artifact":"cHNidP8BAF4CAAAAA","offer":{"side":"ASK","sellerIndex":0,' +
    '"outpoint":":0","version":2,"locktime":0,"sequences":[4294967293],"payouts":[{"valueSats":"","scriptHex":"5120"}],' +
    '"funding":[],"unsignedTxid":""},"claimedPrevout":{"valueSats":"546","scriptHex":"0014"},"source":{"source":"direct-import",' +
    '"sourceId":"","observedAt":"2026-01-10T00:00:00.000Z"},"notes":[]},"metadataFixed":true,"notes":[],"outpoint":"",' +
    '"outputBlock":{"height":900000,"hash":"000000000000000000"},"pending":null,"proved":true,"reason":"verified","seq":1,' +
    '"sourcesDropped":0,"spend":null,"validation":{"checkedAt":"2026-01-01T00:00:00.000Z","nodeStatus":"READY",' +
    '"assetStatus":"VERIFIED","nodeTip":{"height":900000,"hash":"000000000000000000"},"reasons":[]},' +
    '"verifiedAt":"2026-01-01T00:00:00.000Z"}',
)
