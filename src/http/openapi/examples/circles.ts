import type {
  Circle,
  CircleSnapshot,
  CircleState,
  Lineage,
  Shard,
} from '../../../schemas/api/circles.ts'

/** Two participants. */
export const CIRCLE: Circle = {
  txid: '6f47ce31e505dcd5a543315373f0ca73bb8629cdd2e21dba29cc819426964431',
  wtxid: 'c456a8b73fc4870b8e15c68e4cd841811585d6269e42cf5a8a6c4e9adcee421c',
  contextHash: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  participantCount: 2,
  feeSats: '1000',
  blockHeight: 148,
  blockHash: '17851c0d190bbbd53a4cbeda8e7ac1bb4a34b3dad102ee04e4158df74e893a3e',
  transactionIndex: 1,
  members: [
    {
      slot: 0,
      lineageId: 'c61b267bf6f7fe71360fbb88f6084710d61f8da25e710cb139f63bd694e6e06f',
      inputOutpoint: '27ce676cd3a2e563101b105d7f8e1f606feffea3bcdfa2329515c9a42bbfc5dd:0',
      outputOutpoint: '6f47ce31e505dcd5a543315373f0ca73bb8629cdd2e21dba29cc819426964431:0',
      inputValueSats: '50000',
      outputValueSats: '49500',
      feeShareSats: '500',
      wasExistingLineage: false,
    },
    {
      slot: 1,
      lineageId: 'da58bb4f23cb135348935af426f7a1202561b75b581a0f0e1425662c7fe550f8',
      inputOutpoint: '27ce676cd3a2e563101b105d7f8e1f606feffea3bcdfa2329515c9a42bbfc5dd:1',
      outputOutpoint: '6f47ce31e505dcd5a543315373f0ca73bb8629cdd2e21dba29cc819426964431:1',
      inputValueSats: '50000',
      outputValueSats: '49500',
      feeShareSats: '500',
      wasExistingLineage: false,
    },
  ],
}

/** A shard of the first lineage: the next circle spends it. */
export const SHARD: Shard = {
  outpoint: '6f47ce31e505dcd5a543315373f0ca73bb8629cdd2e21dba29cc819426964431:0',
  lineageId: 'c61b267bf6f7fe71360fbb88f6084710d61f8da25e710cb139f63bd694e6e06f',
  scriptPubKey: '512061e14f75c6292b986d73bbb45c0cc36cc7e118985da0209e876abe51cee68103',
  valueSats: '49500',
  createdByCircle: '6f47ce31e505dcd5a543315373f0ca73bb8629cdd2e21dba29cc819426964431',
  previousOutpoint: '27ce676cd3a2e563101b105d7f8e1f606feffea3bcdfa2329515c9a42bbfc5dd:0',
  createdHeight: 148,
  spentByTxid: 'ab2b12bd7b07799e97e2c0058519d62b47741388760ebe889d1668f8f46169f2',
  spentHeight: 150,
}

/** Closed by a transaction that is not a circle. */
export const LINEAGE: Lineage = {
  lineageId: 'c61b267bf6f7fe71360fbb88f6084710d61f8da25e710cb139f63bd694e6e06f',
  genesisOutpoint: '27ce676cd3a2e563101b105d7f8e1f606feffea3bcdfa2329515c9a42bbfc5dd:0',
  currentOutpoint: null,
  status: 'closed',
  firstHeight: 148,
  lastHeight: 153,
  circleCount: 2,
  closedByTxid: '979917dbce6b168c16d49dc6bad6698051891d313b395aec7cdde16dc1f61a60',
}

/** After the first circle: the state of `npm start` has more. */
export const SNAPSHOT: CircleSnapshot = {
  circles: [CIRCLE],
  edges: [],
  lineages: [
    {
      circleCount: 1,
      closedByTxid: null,
      currentOutpoint: '6f47ce31e505dcd5a543315373f0ca73bb8629cdd2e21dba29cc819426964431:0',
      firstHeight: 148,
      genesisOutpoint: '27ce676cd3a2e563101b105d7f8e1f606feffea3bcdfa2329515c9a42bbfc5dd:0',
      lastHeight: 148,
      lineageId: 'c61b267bf6f7fe71360fbb88f6084710d61f8da25e710cb139f63bd694e6e06f',
      status: 'active',
    },
    {
      circleCount: 1,
      closedByTxid: null,
      currentOutpoint: '6f47ce31e505dcd5a543315373f0ca73bb8629cdd2e21dba29cc819426964431:1',
      firstHeight: 148,
      genesisOutpoint: '27ce676cd3a2e563101b105d7f8e1f606feffea3bcdfa2329515c9a42bbfc5dd:1',
      lastHeight: 148,
      lineageId: 'da58bb4f23cb135348935af426f7a1202561b75b581a0f0e1425662c7fe550f8',
      status: 'active',
    },
  ],
  protocol: 'circles',
  revision: 1,
  shards: [
    {
      createdByCircle: '6f47ce31e505dcd5a543315373f0ca73bb8629cdd2e21dba29cc819426964431',
      createdHeight: 148,
      lineageId: 'c61b267bf6f7fe71360fbb88f6084710d61f8da25e710cb139f63bd694e6e06f',
      outpoint: '6f47ce31e505dcd5a543315373f0ca73bb8629cdd2e21dba29cc819426964431:0',
      previousOutpoint: '27ce676cd3a2e563101b105d7f8e1f606feffea3bcdfa2329515c9a42bbfc5dd:0',
      scriptPubKey: '512061e14f75c6292b986d73bbb45c0cc36cc7e118985da0209e876abe51cee68103',
      spentByTxid: null,
      spentHeight: null,
      valueSats: '49500',
    },
    {
      createdByCircle: '6f47ce31e505dcd5a543315373f0ca73bb8629cdd2e21dba29cc819426964431',
      createdHeight: 148,
      lineageId: 'da58bb4f23cb135348935af426f7a1202561b75b581a0f0e1425662c7fe550f8',
      outpoint: '6f47ce31e505dcd5a543315373f0ca73bb8629cdd2e21dba29cc819426964431:1',
      previousOutpoint: '27ce676cd3a2e563101b105d7f8e1f606feffea3bcdfa2329515c9a42bbfc5dd:1',
      scriptPubKey: '5120c8f8bbbe7d805f1b21082fe2449e53ed5baa70a8ea580dc42ff508146289e20b',
      spentByTxid: null,
      spentHeight: null,
      valueSats: '49500',
    },
  ],
  version: 1,
}

/** The latest, and the one before. */
export const STATES: readonly CircleState[] = [
  {
    revision: 4,
    stateHash: '84e8e3c333b309ad6b76379f6e2a2d5dd3406a70390fe04e0308b0ecddf5d7bd',
    height: 153,
    blockHash: '021c50aeda43e40867e57915ea93b5f368407a7b0005d470f81f4b09c46b57c6',
  },
  {
    revision: 3,
    stateHash: '1f9da0ea50019937659ddb5ca4be992863f7d1c175ed5736ecdfefbc0041a875',
    height: 152,
    blockHash: '73bc427909eff5e3752cc86f512a2d52255fcf71f33c57c4bc91b74911530bc6',
  },
]
