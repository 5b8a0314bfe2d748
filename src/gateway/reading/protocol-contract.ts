import type { ProtocolContract } from '../../schemas/api/protocol.ts'
import { SALE_EVENT_KIND } from '../../schemas/wire/nostr.ts'
import type { GatewaySettings } from '../gateway.ts'

/** What this gateway speaks, and what it does not promise (gateway spec 2.2, ProtocolContract). */
export function protocolContract(
  settings: Pick<GatewaySettings, 'network' | 'maxVerificationAgeSeconds'>,
  bundleKey: string | null,
): ProtocolContract {
  return {
    name: 'Market',
    settlement:
      'The buyer completes the seller’s signed PSBT and broadcasts it. This service signs no ' +
      'transaction, broadcasts none and holds no funds; an order is settled when a block holds a transaction ' +
      'that spends the offered output and carries the exact payout.',
    sourceOfTruth:
      'A Bitcoin full node and a local asset index decide the state of every order. What a source ' +
      'says of an order is kept as evidence and overrides neither.',
    supportedProfiles: ['OPEN_ASK', 'EXTERNAL_PSBT'],
    orderTemplates: { ASK_ANYONECANPAY, BID_FULLY_FUNDED },
    safety: {
      signsOrBroadcasts: false,
      spendsFunds: false,
      artifactReleasedIn: ['LIVE'],
      maxVerificationAgeSeconds: settings.maxVerificationAgeSeconds,
      withdrawal:
        'Withdrawal hides an order here. Anyone who kept the signed PSBT can still complete it, until ' +
        'the offered output is spent. It is by the owner of the offered output: a bid is withdrawn by ' +
        'the owner of the asset, and its bidder ends it by spending one of its own outputs.',
      replacement:
        'Anyone can replace a purchase before it confirms: SINGLE|ANYONECANPAY binds no buyer.',
      claims: 'protocolId, token and side are what a sender said: text that nothing has verified.',
      bundleKey,
    },
    nostr: {
      kind: SALE_EVENT_KIND,
      network: settings.network,
      holdsKeys: false,
      publishes: false,
      tags: {
        n: 'network: mainnet, signet or regtest',
        t: 'sell or buy',
        i: 'inscription id, where the order has an asset',
        u: 'offered output, txid:vout',
        s: 'signed payout in sats',
        x: 'market',
      },
      content: 'base64 of the signed PSBT',
    },
  }
}

const ASK_ANYONECANPAY: ProtocolContract['orderTemplates']['ASK_ANYONECANPAY'] = {
  side: 'ASK',
  signedBy: 'the seller, on the one input that offers the output',
  sighash: ['SINGLE|ANYONECANPAY (0x83)'],
  commitsTo: [
    'transaction version and locktime',
    'the offered output with its value and script',
    'the sequence of the offered input',
    'the output at the index of that input: the payout',
  ],
  completedBy: 'the buyer adds inputs and outputs, keeps index, version, locktime and sequence',
  safety: ['PUBLIC_RACEABLE', 'TARGETED_REVIEW'],
}

const BID_FULLY_FUNDED: ProtocolContract['orderTemplates']['BID_FULLY_FUNDED'] = {
  side: 'BID',
  signedBy: 'the buyer, on every input but the one of the asset',
  sighash: ['ALL (0x01)', 'DEFAULT (taproot)'],
  commitsTo: ['the whole transaction: every input, every output, version and locktime'],
  completedBy: 'the owner of the asset signs its input and changes nothing',
  safety: ['TARGETED_REVIEW'],
}
