import { deflateRawSync, inflateRawSync } from 'node:zlib'

const PLAIN = 0
const DEFLATED = 1
/** Shorter texts are kept as they are: a header would eat the gain. */
const DEFLATE_FROM = 512
// A record is a few KiB: a small window and little memory make a call several times cheaper.
const SMALL = { windowBits: 13, memLevel: 6 }

/**
 * Records as deflated JSON. Their field names and the shape of their values are the same from
 * record to record, so a dictionary of them makes a record of 4 KiB about 1 KiB on disk, and in the
 * memory that its pages are mapped to.
 */
export class DocumentCodec {
  /** Tells lmdb that `decode` must be given bytes that stay as they are. */
  readonly needsStableBuffer = true
  readonly #dictionary: Buffer

  constructor(dictionary: Buffer) {
    this.#dictionary = dictionary
  }

  encode(value: unknown): Buffer {
    const text = Buffer.from(JSON.stringify(value))
    if (text.length < DEFLATE_FROM) return Buffer.concat([Buffer.of(PLAIN), text])
    const deflated = deflateRawSync(text, { ...SMALL, level: 1, dictionary: this.#dictionary })
    return Buffer.concat([Buffer.of(DEFLATED), deflated])
  }

  decode(bytes: Uint8Array): unknown {
    // lmdb sets `length` by hand on a longer buffer: only that property tells where the value ends.
    const body = Buffer.from(bytes.buffer, bytes.byteOffset + 1, bytes.length - 1)
    if (bytes[0] === PLAIN) return JSON.parse(body.toString())
    return JSON.parse(inflateRawSync(body, { ...SMALL, dictionary: this.#dictionary }).toString())
  }
}

/**
 * The dictionary of a new store: what JSON records have in common, the most frequent last. A store
 * keeps the one that it was made with, so this text may change.
 */
export const NEW_DICTIONARY = Buffer.from(
  [
    '{"schema":1,"kind":"outcome","requestId":"","outcome":{"status":"refused","code":"","message":"',
    '"kind":"spend","change":"unconfirmed","kind":"output","change":"confirmed","change":"seen",',
    '"kind":"partition","partition":0,"seen":{"epoch":1,"n":0},"watermark":{"covers":true,',
    '"indexStatus":"ready"},"continuousSince":{"epoch":1,"n":0},"lifecycleEnd":',
    '"kind":"command","command":"import","claim":{"artifact":"cHNidP8BA',
    '"status":"missing"},"status":"unavailable","reason":"node_unavailable"',
    '"portable-nostr802","eventId":"","eventPubkey":"","signatureVerified":true,',
    '"settlement":{"txid":"","observedAt":"","confirmations":1},"withdrawal":{"withdrawnAt":"',
    '"state":"MEMPOOL_CONFLICTED","state":"PENDING_NODE","state":"PENDING_ASSET","state":"REJECTED",',
    '"state":"WITHDRAWN","state":"SETTLED","state":"SPENT","BID_FULLY_FUNDED","TARGETED_REVIEW",',
    '{"schema":1,"kind":"evidence","orderId":"","outpoint":"","attempt":1,"evidence":',
    '{"schema":1,"kind":"transition","orderId":"","outpoint":"","seq":1,"fromState":null,',
    '"fromState":"PENDING_NODE","toState":"LIVE","reason":"verified","actor":"reconciler",',
    '"observedAt":"2026-01-01T00:00:00.000Z","cause":{"partition":0,"offset":0,"kind":"command"},',
    '"evidence":{"begunAt":{"epoch":1,"n":1},"mempoolSequence":1,"askedAt":"","answeredAt":"",',
    '"node":{"status":"ready","tip":{"height":0,"hash":"","medianTime":0},"output":',
    '{"status":"unspent","output":{"valueSats":"546","scriptHex":"5120"},"coinbase":false,',
    '"block":{"height":0,"hash":""},"priorMedianTime":0},"funding":[],"signatures":[{"digest":"",',
    '"status":"VALID","reason":null,"by":"local"}]},"index":{"status":"ready","at":{"height":0,',
    '"hash":"","version":"ord 0.27.1"},"indexed":true,"inscriptions":[{"id":"","number":0,',
    '"offset":"0"}],"runes":[]}},"prevHash":null,"unset":[],"set":',
    '{"schema":1,"kind":"order","order":{"id":"","network":"mainnet","outpoint":"","state":"LIVE",',
    '"reason":"verified","seq":2,"hash":"","kept":{"artifact":"cHNidP8BAFICAAAAAQAAAAAA",',
    '"inspection":{"psbtVersion":0,"unsignedTxid":"","digest":"","inputCount":1,"outputCount":1,',
    '"inputOutpoints":[{"txid":"","vout":0}],"inputWitnessUtxos":[{"valueSats":"546",',
    '"scriptHex":"5120"}],"outputValuesSats":[""],"outputScriptsHex":["0014"],',
    '"hasProprietaryFields":false,"hasUnknownFields":false,"signatureStatus":"VALID",',
    '"orderClass":"ASK_ANYONECANPAY","safety":"PUBLIC_RACEABLE","reasons":[]},"offer":{"side":"ASK",',
    '"sellerIndex":0,"outpoint":"","version":2,"locktime":0,"sequences":[4294967293],"payouts":',
    '[{"valueSats":"","scriptHex":"0014"}],"funding":[],"unsignedTxid":""},"claimedPrevout":',
    '{"valueSats":"546","scriptHex":"5120"},"source":{"source":"direct-import","sourceId":"",',
    '"observedAt":"","claimedPriceSats":"","claimedAsset":{"inscriptionId":""}},"notes":[]},',
    '"claims":[],"sources":[{"source":"direct-import","sourceId":"","observedAt":""}],',
    '"sourcesDropped":0,"notes":[],"assets":[{"inscriptionId":"","outpoint":{"txid":"","vout":0},',
    '"inscriptionNumber":1}],"validation":{"checkedAt":"","nodeStatus":"READY","assetStatus":',
    '"VERIFIED","nodeTip":{"height":0,"hash":""},"reasons":[]},"anchor":{"tip":{"height":0,',
    '"hash":""},"mempoolSequence":1,"index":{"height":0,"hash":"","version":"ord 0.27.1"},',
    '"watermark":{"epoch":1,"n":1}},"verifiedAt":"2026-01-01T00:00:00.000Z","metadataFixed":true,',
    '"protocolId":"bitcoin-inscriptions","token":"","side":"ASK","quotedPriceSats":"",',
    '"sellerScriptHex":"5120","outputBlock":{"height":0,"hash":"00000000000000000000"},',
    '"indexProof":null,"spend":null,"attempt":1,"pending":null,"closedAt":null,',
    '"createdAt":"2026-01-01T00:00:00.000Z","updatedAt":"2026-01-01T00:00:00.000Z"}',
  ].join(''),
)
