import {
  BUILD_REQUEST,
  CHECK_REQUEST,
  EVENT,
  IMPORT_REQUEST,
  INSPECT_REQUEST,
  PADDINGS_REQUEST,
  PREFLIGHT_REQUEST,
  PROOF,
  PUBLISH_REQUEST,
  QUOTE_REQUEST,
  SELF_SPEND_REQUEST,
} from './bodies.ts'

/** Values that work on the devnet that `npm start` creates. */
export interface ExampleRequest {
  params?: Readonly<Record<string, string>>
  query?: Readonly<Record<string, string>>
  body?: object
}

/** Orders, objects and circles of the devnet: their ids are the same on every devnet. */
const ALICE = { id: '2403c9c4a04b269a41b5ce652dcf8b6ab65bf977b56c1addb7b836f8612dfc06' }
const ALICES_INSCRIPTION = '36f9551c7ecafeffb7a84b8d395164a8698a26c8693b35e63368a99b3d9f4b71i0'
const CAROL = { id: '1fa44cc87055251b0db2c3abefa15cb88c17fb29ba8d70db481d51f27a34b1f8' }
const CAROLS_ADDRESS = 'bcrt1qyk3u3hknxpw5cfrwnfc7qded4adtxrq96jdxsr'
const CAROLS_OUTPUT = {
  outpoint: 'cb777d0595af6defa1b664cfe4a132f4c23e01209c7518a97df0bc8826090004:0',
}
/** Offered without the inscription that it claims: REJECTED, so it can be hidden without loss. */
const MALLORY = { id: '942b9ea6d34a0d31f34039f7b233dbaa638fc6b0feb0bd360c120fae85f23752' }
/** It bought an inscription. */
const SALE = { txid: '05f0e8880281d566eab7f89961d1713fe6d06c6c21eb0dd4eea8b8a88c4853ab' }
const OAK = { objectKey: 'fc86551c21ec3f7669f5842bf3d381093f75112d41420ce08673cb8731b389e1' }
const OAK_ADDRESS = 'bcrt1q0djh85724ll772a8x4n64v46c0hc2elyhuu6tlka3xulj8sz5q5s90ml2d'
/** It paired oak with pine, and put oak in its output 0. */
const PAIRING = { txid: '07aeb2f1dade3da9039db46e1be8a98c793a21a4fd700460b6a8342fee2e2f39' }
/** It created rose. */
const CREATION = { txid: 'c435983da9c9db1d4c2add0253c98c063bfa3178941bd6dd059969846652d305' }
/** The first one, of two participants. */
const CIRCLE = { txid: '6f47ce31e505dcd5a543315373f0ca73bb8629cdd2e21dba29cc819426964431' }
/** Its first lineage, closed later by a transaction that is not a circle. */
const LINEAGE = { id: 'c61b267bf6f7fe71360fbb88f6084710d61f8da25e710cb139f63bd694e6e06f' }

const SHOP = { name: 'shop' }

/** Requests whose answers the description does not show: files, and what a new devnet has none of. */
export const UNRECORDED_REQUESTS: Readonly<Record<string, ExampleRequest>> = {
  readStatisticCsv: { params: { name: 'sales' } },
  readStatisticParquet: { params: { name: 'market' } },
  listTopics: {},
  listRecords: { params: { topic: 'orders.lifecycle' }, query: { limit: '10' } },
  readDeadLetter: { params: { partition: '0', offset: '0' } },
  retryDeadLetters: { body: { places: 'all' } },
  readContent: { params: { inscriptionId: ALICES_INSCRIPTION } },
}

/** Requests to the market, by operation: reads first, a withdrawal last. */
export const MARKET_REQUESTS = {
  probeLife: {},
  probeReadiness: {},
  readIndex: {},
  readHealth: {},
  readProtocol: {},
  readCatalog: {},
  listOrders: {
    query: { state: 'LIVE', protocol: 'inscriptions', sort: 'price_asc', limit: '1' },
  },
  listOrdersOfAddress: { params: { address: CAROLS_ADDRESS }, query: { limit: '1' } },
  countFacets: { query: { states: 'LIVE,SETTLED', priceMax: '1000000' } },
  readOrder: { params: ALICE },
  readArtifact: { params: ALICE },
  readNostrEnvelope: { params: ALICE },
  listActivity: { query: { orderId: ALICE.id, limit: '2' } },
  listOrderVersions: { params: ALICE, query: { limit: '2' } },
  readBundle: { params: ALICE },
  readMarketNow: { query: { protocol: 'inscriptions' } },
  readDepth: { query: { protocol: 'inscriptions' } },
  readBook: { query: { at: '150', protocol: 'inscriptions', limit: '1' } },
  readVolume: {},
  listFloors: { query: { protocol: 'inscriptions', interval: 'hour' } },
  listCandles: { query: { interval: 'hour' } },
  listSales: { query: { limit: '1' } },
  readInscriptionLife: { query: { inscription: ALICES_INSCRIPTION } },
  readTransactionEffects: { query: SALE },
  listSellers: { query: { limit: '1' } },
  readTimeToSettle: {},
  listConflicts: {},
  listVerdicts: {},
  listSources: {},
  // Before anything changes an order: nothing must be sent while the examples are recorded.
  createWebhook: {
    body: { name: 'shop', url: 'https://hooks.example/market', filter: { state: 'LIVE' } },
  },
  listWebhooks: {},
  rotateWebhook: { params: SHOP, body: {} },
  pauseWebhook: { params: SHOP, body: {} },
  resumeWebhook: { params: SHOP, body: {} },
  retryWebhook: { params: SHOP, body: {} },
  listWebhookDeadLetters: { params: SHOP },
  deleteWebhook: { params: SHOP, body: {} },
  listKeys: {},
  readOwnershipChallenge: { params: CAROL },
  readExposure: { params: CAROLS_OUTPUT },
  buildSelfSpend: { params: CAROLS_OUTPUT, body: SELF_SPEND_REQUEST },
  readAddressOutputs: { params: { address: CAROLS_ADDRESS } },
  checkOutputs: { body: CHECK_REQUEST },
  inspectOrder: { body: INSPECT_REQUEST },
  readFees: {},
  quoteOrder: { params: ALICE, body: QUOTE_REQUEST },
  buildPaddings: { body: PADDINGS_REQUEST },
  preflightOrder: { params: ALICE, body: PREFLIGHT_REQUEST },
  buildAsk: { body: BUILD_REQUEST },
  publishAsk: { body: PUBLISH_REQUEST },
  importOrder: { body: IMPORT_REQUEST },
  importPortableEvent: { body: EVENT },
  revalidateOrder: { params: ALICE, body: {} },
  readOrderAsOperator: { params: MALLORY },
  hideOrder: { params: MALLORY, body: { reason: 'reported as stolen' } },
  listHiddenOrders: { query: { limit: '1' } },
  unhideOrder: { params: MALLORY, body: { reason: 'the report was wrong' } },
  withdrawOrderAsOperator: {
    params: MALLORY,
    body: { reason: 'it claims what it does not hold' },
  },
  withdrawOrder: { params: CAROL, body: PROOF },
} satisfies Record<string, ExampleRequest>

/** Requests to the routes whose failures are messages. */
export const MESSAGE_REQUESTS = {
  listObjects: { query: { limit: '1' } },
  readObject: { params: OAK },
  listEventsOfObject: { params: OAK, query: { limit: '2' } },
  proveObject: { params: OAK },
  listCarriers: { query: { limit: '1' } },
  readCarrier: { params: { ...PAIRING, vout: '0' } },
  proveCarrier: { params: { ...CREATION, vout: '0' } },
  listCheckpoints: { query: { limit: '1' } },
  readEvents: { params: CREATION },
  proveEvent: { params: { ...CREATION, eventIndex: '0' } },
  readTransaction: { params: PAIRING },
  readVerifiedObject: { params: OAK },
  searchVerified: { query: { q: 'oak' } },
  listVerifiedCarriers: { params: { address: OAK_ADDRESS }, query: { limit: '1' } },
  listDivergences: {},
  readAgreement: { params: { height: '150' } },
  readPairingReadiness: {},
  probePairing: {},
  readSnapshot: {},
  readState: {},
  listStates: { query: { limit: '2' } },
  readLineage: { params: LINEAGE },
  readCircle: { params: CIRCLE },
  readShard: { params: { outpoint: `${CIRCLE.txid}:0` } },
  readSnapshotSchema: {},
} satisfies Record<string, ExampleRequest>
