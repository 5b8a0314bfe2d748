import type { FullNode } from '../ports/authorities/full-node.ts'
import { OperatorError } from '../ports/base-errors.ts'
import type { Divergences } from '../ports/folds/divergences.ts'
import type { StoredSignature } from '../ports/folds/pairing-store.ts'
import type { PairingViews } from '../ports/folds/pairing-views.ts'
import type { PeerAgreement } from '../ports/folds/peer-agreement.ts'
import type { Clock } from '../runtime/clock.ts'
import type {
  AgreementEnvelope,
  CheckpointTuple,
  Divergence,
  PairingDivergences,
  PairingProof,
  ProofBody,
  ReadinessSnapshot,
} from '../schemas/api/pairing.ts'
import type { Network } from '../schemas/scalars.ts'
import { type Agreement, checkAgreement } from './agreement/check-agreement.ts'
import { checkShape } from './agreement/envelope.ts'
import { pairingReadiness } from './agreement/readiness.ts'
import { openSigner, type Pipeline, type SigningSettings } from './agreement/signing.ts'
import { keyProblems, rememberingVerify, type TrustedKeys } from './agreement/trust.ts'
import { readVerified, shareChecks, type VerifiedResult } from './agreement/verified-read.ts'
import type { WithheldCause } from './agreement/withheld.ts'
import { cursorOf, limitOf, parsedLimit } from './fold/parameters.ts'
import { Listed, pageOf } from './listed.ts'
import { type Ask, askCheckpoint, DEFAULT_LIMIT, type Parameters } from './questions.ts'

export interface PairingServiceSettings {
  /** The id that both pipelines share: a field of every tuple. */
  deployment: string
  network: Network
  /** The letter of this pipeline; the peer has the other. */
  pipeline: Pipeline
  maxBlockLag: number
  mainnetVerified: boolean
  signing: SigningSettings
  trusted: TrustedKeys
  /** How long the probes of readiness may take, and how long one snapshot is shared: ms. */
  readiness: { timeoutMs: number; cacheForMs: number }
}

/** Metrics; every name is from a closed list. */
export type PairingMetric =
  /** One check, possibly shared by many reads. */
  | { kind: 'checked'; outcome: 'agreed' | WithheldCause; ms: number }
  /** One verified read. */
  | { kind: 'read'; outcome: 'verified' | WithheldCause }
  | { kind: 'diverged'; field: keyof CheckpointTuple; isNew: boolean }

export interface PairingParts {
  settings: PairingServiceSettings
  views: PairingViews
  /** Null: not configured. */
  node: Pick<FullNode, 'chain'> | null
  /** Null: PAIRING_B_URL is not set. */
  peer: PeerAgreement | null
  divergences: Divergences
  clock: Pick<Clock, 'now' | 'monotonic'>
  onMetric: (metric: PairingMetric) => void
  /** Called once per check with why it withheld: for the log, never for a client. */
  onWithheld: (cause: WithheldCause, detail: string) => void
  /** A check ended in a defect, or the ledger could not be written. */
  onFault: (part: 'pairing check' | 'divergence ledger', error: unknown) => void
}

/** No signing boundary: a fault of the operator (pairing spec 7 rule 11). */
export class SigningUnconfiguredError extends OperatorError {
  override name = 'SigningUnconfiguredError'
}

/**
 * The answers of the pairing routes; parameters are as received. All throw `InvalidQuestionError` or `AbsentRecordError`.
 */
export interface PairingService {
  /** An answer from this pipeline's own view. */
  answer<T>(ask: Ask<T>, parameters: Parameters): T
  /** The same answer, only if the other pipeline agrees. */
  verified<T>(ask: Ask<T>, parameters: Parameters): Promise<VerifiedResult<T>>
  /** Proves that a record is in the root of a checkpoint; with what this pipeline signed for it. */
  proof(ask: Ask<ProofBody>, parameters: Parameters): PairingProof
  /** A page of the divergences between the pipelines, newest first: for operators. */
  divergences(parameters: Parameters): Promise<Listed<PairingDivergences>>
  /** The signed checkpoint of a height. Throws `SigningUnconfiguredError`. */
  agreementAt(parameters: Parameters): AgreementEnvelope
  /**
   * The envelope of a given checkpoint and its stored signature; null without a signing boundary.
   */
  envelopeOf(tuple: CheckpointTuple, kept: StoredSignature | null): AgreementEnvelope | null
  readiness(): Promise<ReadinessSnapshot>
  /** What is wrong with the configured keys, one line each, for the log at startup. */
  readonly keyProblems: readonly string[]
}

/** A place in the ledger. */
const LEDGER_PLACE = /^(?:0|[1-9][0-9]{0,14})$/

/** Causes found by a read: those found by a check are logged once, however many reads share it. */
const OF_THE_READ: ReadonlySet<WithheldCause> = new Set([
  'agreement_changed',
  'read_of_another_checkpoint',
])

export function openPairingService(parts: PairingParts): PairingService {
  const { settings, views, clock, onMetric } = parts
  const { network, trusted, mainnetVerified, deployment } = settings
  const signer = openSigner(settings.pipeline, settings.signing)
  const problems = keyProblems(trusted, signer)
  const readiness = pairingReadiness({
    ...settings.readiness,
    configurationValid: problems.length === 0,
    signerConfigured: signer !== null,
    node: parts.node,
    views,
    maxBlockLag: settings.maxBlockLag,
  })
  const verify = rememberingVerify()
  const onDivergence = noteIn(parts)
  const check = async (): Promise<Agreement> => {
    const begun = clock.monotonic()
    const found = await checkAgreement({
      ...{ deployment, network, mainnetVerified, views, readiness, signer, trusted, verify },
      peer: parts.peer,
      onDivergence,
    })
    const outcome = found.agreed ? 'agreed' : found.cause
    onMetric({ kind: 'checked', outcome, ms: clock.monotonic() - begun })
    if (!found.agreed) parts.onWithheld(found.cause, found.detail)
    return found
  }
  const agreement = shareChecks(check, (error) => parts.onFault('pairing check', error))

  return {
    keyProblems: problems,
    readiness,
    envelopeOf: (tuple, kept) => signer?.seal(tuple, kept) ?? null,
    answer: (ask, parameters) => views.read(ask(parameters, network)),
    async verified(ask, parameters) {
      const result = await readVerified({ views, agreement }, ask(parameters, network))
      onMetric({ kind: 'read', outcome: result.agreed ? 'verified' : result.cause })
      if (!result.agreed && OF_THE_READ.has(result.cause))
        parts.onWithheld(result.cause, result.detail)
      return result
    },
    proof: (ask, parameters) =>
      views.read((view) => {
        const body = ask(parameters, network)(view)
        const kept = view.signature(Number(body.checkpoint.height))
        return { ...body, envelope: signer?.seal(body.checkpoint, kept) ?? null }
      }),
    async divergences({ limit, cursor }) {
      const most = limitOf(parsedLimit(limit, DEFAULT_LIMIT))
      const below = cursorOf(cursor, LEDGER_PLACE)
      const read = await parts.divergences.page(
        most + 1,
        below === undefined ? null : Number(below),
      )
      const { entries, next } = pageOf(read, most, ({ place }) => String(place))
      return new Listed({ items: entries.map(({ divergence }) => divergence) }, next)
    },
    agreementAt(parameters) {
      const question = askCheckpoint(parameters)
      if (!signer) {
        throw new SigningUnconfiguredError(
          'the agreement route needs PAIRING_KEY_ID, PAIRING_PRIVATE_KEY and the release of this build, or PAIRING_RELEASE_*',
        )
      }
      return views.read((view) => {
        const tuple = question(view)
        return checkShape(signer.seal(tuple, view.signature(Number(tuple.height))))
      })
    },
  }
}

/** The ledger is independent of the check: it neither delays nor fails it. */
const noteIn =
  ({ divergences, clock, onMetric, onFault }: PairingParts) =>
  (found: Omit<Divergence, 'firstSeenAt'>): void => {
    const firstSeenAt = new Date(clock.now()).toISOString()
    divergences.note({ ...found, firstSeenAt }).then(
      (isNew) => onMetric({ kind: 'diverged', field: found.field, isNew }),
      (error: unknown) => onFault('divergence ledger', error),
    )
  }
