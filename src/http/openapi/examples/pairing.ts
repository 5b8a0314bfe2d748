import type { z } from 'zod'
import type {
  AgreementEnvelope,
  CheckpointTuple,
  PairingCarrier,
  PairingEvents,
  PairingObject,
  PairingTransaction,
  ReadinessSnapshot,
  SearchResults,
  VerifiedAgreement,
} from '../../../schemas/api/pairing.ts'

/** Paired with pine. */
export const OAK: PairingObject = {
  objectKey: 'fc86551c21ec3f7669f5842bf3d381093f75112d41420ce08673cb8731b389e1',
  contentHash: 'df877645404747cb797334b8055b51fc081856d44f5f59a4107f3cdd495c7a0e',
  label: 'oak',
  status: 'active',
  carrier: '07aeb2f1dade3da9039db46e1be8a98c793a21a4fd700460b6a8342fee2e2f39:0',
  address: 'bcrt1q0djh85724ll772a8x4n64v46c0hc2elyhuu6tlka3xulj8sz5q5s90ml2d',
  pairId: '58c85bb73af3c824b4d1ca3150d1859e3ea87a558e16a6da8a735dcc55012bfb',
  pairedWith: 'df338bc816978268664c494dd697c219628dd303ebb1a9e85aff876f77ed5d72',
  createdTxid: '186cfed6e8d93f1a670049364fb4f4ed45b45eb8038e3ecc0a06a2cb63fc8b50',
  createdHeight: 141,
  eventCount: 3,
}

/** Where the pairing put oak. */
export const CARRIER: PairingCarrier = {
  txid: '07aeb2f1dade3da9039db46e1be8a98c793a21a4fd700460b6a8342fee2e2f39',
  vout: 0,
  objectKey: 'fc86551c21ec3f7669f5842bf3d381093f75112d41420ce08673cb8731b389e1',
  address: 'bcrt1q0djh85724ll772a8x4n64v46c0hc2elyhuu6tlka3xulj8sz5q5s90ml2d',
  scriptHex: '00207b6573d3caafffef2ba73567aab2bac3ef8567e4bf39a5fedd89b9f91e02a029',
  valueSats: '49000',
  createdHeight: 144,
  spentByTxid: null,
  spentHeight: null,
}

/** It paired oak with pine. */
export const PAIRING: PairingTransaction = {
  txid: '07aeb2f1dade3da9039db46e1be8a98c793a21a4fd700460b6a8342fee2e2f39',
  height: 144,
  blockHash: '4260e50ebadb9498411999a6341183c9192843c41ef6234711397be5517deb2d',
  transactionIndex: 1,
  opcode: 3,
  valid: true,
  reason: null,
}

/** The events of the transaction that created rose. */
export const EVENTS: z.infer<typeof PairingEvents> = {
  txid: 'c435983da9c9db1d4c2add0253c98c063bfa3178941bd6dd059969846652d305',
  events: [
    {
      txid: 'c435983da9c9db1d4c2add0253c98c063bfa3178941bd6dd059969846652d305',
      eventIndex: 0,
      height: 146,
      blockHash: '4982a5c34c8d6b406450bee341e9fad7833dfd345aabbefeca8d7e7915c2900c',
      kind: 'object_created',
      objectKey: 'be98e78902b299588aef6e31b8a412a2d3370f0621ef43d78d6bc42f5cf1fef3',
      from: null,
      to: 'c435983da9c9db1d4c2add0253c98c063bfa3178941bd6dd059969846652d305:0',
      pairId: null,
    },
  ],
}

export const CHECKPOINT: CheckpointTuple = {
  deployment: 'pairing-regtest',
  network: 'regtest',
  height: '153',
  blockHash: '021c50aeda43e40867e57915ea93b5f368407a7b0005d470f81f4b09c46b57c6',
  previousCheckpointHash: '964c7d16ee9a4648ba49846cb84bbaea298f01d5c593984e4777d44a624dd1dc',
  objectsRoot: 'e7413d248bb69035db89b76bf0ff051c2f7541a784b1cc5fb37693308a266d16',
  carriersRoot: 'e5c77f83e4f3a2c8b1a59f1a8953d139ab8b0b5b6a8812a1dc0089627c698215',
  eventsRoot: '4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945',
  checkpointHash: '5ac0e058dc9664c0ead6a8975f7f1ce452c4b453906e915b48bee49ca9729136',
}

export const AGREEMENT_ENVELOPE: AgreementEnvelope = {
  pipeline: 'A',
  keyId: 'devnet-a',
  tuple: {
    deployment: 'pairing-regtest',
    network: 'regtest',
    height: '150',
    blockHash: '4f9171d7fd042e0820706324af1d7d712ee3e068693c06288073d47934160bcf',
    previousCheckpointHash: 'ef8c74d0a3e3bbe9a115ec24be04eb705d5b4db048c7deccf2656ae4849ed4dc',
    objectsRoot: 'add6873f1d4b8246f180862c5b1c0f393d9deed6f80be06da451fb4705b8a934',
    carriersRoot: 'c68bd20f71fc9c9fdcceace592b96a1f46bbf58cc920fe8fabb93bd5a1a772e3',
    eventsRoot: '4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945',
    checkpointHash: 'ba6b3b2092fcd0454fe2dbc29d1085e155de92dd96b2e731d49a4bb7c6a54f02',
  },
  release: {
    name: 'market',
    version: 'devnet',
    commit: 'devnet',
    digest: 'devnet',
  },
  signature:
    '19af4f0c89cd2ba8a1d7cc8e6ca802eb361526aed0819ef11a58e67a67b1dbccdb2c8615380fbdbece78ae470405b27e55a61319993544335f14f377a335eba7',
}

export const AGREEMENT: VerifiedAgreement = {
  height: 153,
  blockHash: '021c50aeda43e40867e57915ea93b5f368407a7b0005d470f81f4b09c46b57c6',
  checkpointHash: '5ac0e058dc9664c0ead6a8975f7f1ce452c4b453906e915b48bee49ca9729136',
  keyIds: {
    A: 'devnet-a',
    B: 'devnet-b',
  },
}

export const FOUND_EXAMPLE: z.infer<typeof SearchResults> = {
  query: 'oak',
  results: [
    {
      kind: 'object',
      key: 'fc86551c21ec3f7669f5842bf3d381093f75112d41420ce08673cb8731b389e1',
      label: 'oak',
    },
  ],
}

export const READY: ReadinessSnapshot = {
  configurationValid: true,
  databaseAvailable: true,
  coreAvailable: true,
  coreNetworkMatches: true,
  coreInitialBlockDownload: false,
  nodeHeight: 153,
  canonicalHeight: 153,
  checkpointHeight: 153,
  maxBlockLag: 2,
  signerConfigured: true,
  ready: true,
  reasons: [],
}
