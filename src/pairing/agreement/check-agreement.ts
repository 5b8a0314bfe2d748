import { concatMap, defer, firstValueFrom, type OperatorFunction } from 'rxjs'
import type { StoredSignature } from '../../ports/folds/pairing-store.ts'
import type { PairingViews } from '../../ports/folds/pairing-views.ts'
import type { PeerAgreement } from '../../ports/folds/peer-agreement.ts'
import {
  type AgreementEnvelope,
  type CheckpointTuple,
  COMPARED_FIELDS,
  type Divergence,
  type ReadinessSnapshot,
} from '../../schemas/api/pairing.ts'
import type { Network } from '../../schemas/scalars.ts'
import { checkShape, MalformedEnvelopeError, parseEnvelope } from './envelope.ts'
import type { Pipeline, Signer } from './signing.ts'
import { distrustOf, type TrustedKeys, type Verify } from './trust.ts'
import { type Withheld, type WithheldCause, withheld } from './withheld.ts'

/** Both pipelines signed for the same nine fields. */
export interface Agreed {
  agreed: true
  tuple: CheckpointTuple
  /** The key ids of the two envelopes. */
  keyIds: Record<Pipeline, string>
}

export type Agreement = Agreed | Withheld

export interface AgreementParts {
  deployment: string
  network: Network
  /** PAIRING_MAINNET_VERIFIED: without it nothing is verified on mainnet. */
  mainnetVerified: boolean
  views: PairingViews
  readiness: () => Promise<ReadinessSnapshot>
  /** Null: no signing boundary. */
  signer: Signer | null
  trusted: TrustedKeys
  verify: Verify
  /** Null: no endpoint of the other pipeline is configured. */
  peer: PeerAgreement | null
  /** Called where two trusted envelopes are for one height of the deployment and contradict. */
  onDivergence: (divergence: Omit<Divergence, 'firstSeenAt'>) => void
}

/**
 * One check of the agreement (docs/design/pairing.md#envelope-and-agreement): ready at a canonical
 * height, the mainnet gate, our own envelope, the peer's for that height, shape, signatures, nine
 * fields. The first check that fails is the cause.
 */
export const checkAgreement = (parts: AgreementParts): Promise<Agreement> =>
  firstValueFrom(
    defer(parts.readiness).pipe(
      unlessWithheld((readiness) => sealedTip(readiness, parts)),
      unlessWithheld((tip) => ownEnvelope(tip, parts)),
      unlessWithheld((own) => peerEnvelope(own, parts)),
      unlessWithheld((both) => compare(both, parts)),
    ),
  )

/** Runs the next check on the result of those before it; a withheld agreement stays withheld. */
const unlessWithheld = <A extends object, B extends object>(
  check: (shown: A) => B | Withheld | Promise<B | Withheld>,
): OperatorFunction<A | Withheld, B | Withheld> =>
  concatMap(async (shown) => ('cause' in shown ? shown : check(shown)))

interface Tip {
  tuple: CheckpointTuple
  signer: Signer
  kept: StoredSignature | null
}

interface Own {
  tuple: CheckpointTuple
  signer: Signer
  own: AgreementEnvelope
}

interface Both extends Own {
  peer: AgreementEnvelope
}

function sealedTip(
  { ready, reasons }: ReadinessSnapshot,
  { views, signer, network, mainnetVerified }: AgreementParts,
): Tip | Withheld {
  if (!ready) return withheld('not_ready', reasons.join(', '))
  const { tuple, kept } = checkpointOfTip(views)
  if (!tuple || !signer) return withheld('not_ready', 'the tip has no checkpoint')
  if (network === 'mainnet' && !mainnetVerified)
    return withheld('mainnet_gate_closed', 'PAIRING_MAINNET_VERIFIED is not set')
  return { tuple, signer, kept }
}

function ownEnvelope(
  { tuple, signer, kept }: Tip,
  { trusted, verify, deployment }: AgreementParts,
): Own | Withheld {
  const read = readEnvelope('own', () => checkShape(signer.seal(tuple, kept)))
  if ('cause' in read) return read
  const distrust = distrustOf(read.envelope, signer.pipeline, trusted, verify)
  if (distrust) return withheld(`own_${distrust}`, `key ${signer.keyId}`)
  if (tuple.deployment !== deployment)
    return withheld('wrong_deployment', `the index is for ${tuple.deployment}`)
  return { tuple, signer, own: read.envelope }
}

async function peerEnvelope(
  own: Own,
  { peer, trusted, verify }: AgreementParts,
): Promise<Both | Withheld> {
  if (!peer) return withheld('peer_not_configured', 'PAIRING_B_URL is not set')
  const answer = await peer.fetch(Number(own.tuple.height))
  if (answer.did === 'fail') return withheld(answer.trouble, answer.detail)
  const read = readEnvelope('peer', () => parseEnvelope(answer.body))
  if ('cause' in read) return read
  const distrust = distrustOf(read.envelope, otherThan(own.signer.pipeline), trusted, verify)
  if (distrust) return withheld(`peer_${distrust}`, `key ${read.envelope.keyId}`)
  return { ...own, peer: read.envelope }
}

function compare({ tuple, own, peer }: Both, { onDivergence }: AgreementParts): Agreement {
  const field = differingField(tuple, peer.tuple)
  if (!field) return { agreed: true, tuple, keyIds: keyIdsOf(own, peer) }
  // An intermediary needs no key to send what the peer signed for another block.
  if (!PLACE.has(field)) onDivergence({ field, height: Number(tuple.height), own, peer })
  return withheld(CAUSE_OF[field], `own ${tuple[field]}, peer ${peer.tuple[field]}`)
}

/** The tip's checkpoint, with the signature made when it was sealed. */
const checkpointOfTip = (views: PairingViews) =>
  views.read((view) => {
    const latest = view.latestCheckpoint()
    const tuple = latest?.blockHash === view.tip()?.hash ? latest : null
    return { tuple, kept: tuple && view.signature(Number(tuple.height)) }
  })

/** What a tuple is about: tuples that differ in one of these do not contradict each other. */
const PLACE: ReadonlySet<keyof CheckpointTuple> = new Set(['deployment', 'network', 'height'])

/** The first of the nine compared fields that differs; null if none does. */
export const differingField = (
  one: CheckpointTuple,
  other: CheckpointTuple,
): keyof CheckpointTuple | null =>
  COMPARED_FIELDS.find((field) => one[field] !== other[field]) ?? null

const CAUSE_OF: Readonly<Record<keyof CheckpointTuple, WithheldCause>> = {
  deployment: 'wrong_deployment',
  network: 'network_differs',
  height: 'wrong_height',
  blockHash: 'blockHash_differs',
  previousCheckpointHash: 'previousCheckpointHash_differs',
  objectsRoot: 'objectsRoot_differs',
  carriersRoot: 'carriersRoot_differs',
  eventsRoot: 'eventsRoot_differs',
  checkpointHash: 'checkpointHash_differs',
}

function readEnvelope(
  whose: 'own' | 'peer',
  read: () => AgreementEnvelope,
): { envelope: AgreementEnvelope } | Withheld {
  try {
    return { envelope: read() }
  } catch (error) {
    if (error instanceof MalformedEnvelopeError)
      return withheld(`${whose}_envelope_malformed`, error.message)
    throw error
  }
}

const otherThan = (pipeline: Pipeline): Pipeline => (pipeline === 'A' ? 'B' : 'A')

const keyIdsOf = (own: AgreementEnvelope, peer: AgreementEnvelope): Record<Pipeline, string> =>
  own.pipeline === 'A' ? { A: own.keyId, B: peer.keyId } : { A: peer.keyId, B: own.keyId }
