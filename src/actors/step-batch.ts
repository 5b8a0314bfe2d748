import { checkWritable, orderWeight, proofBytes } from '../domain/limits.ts'
import type { Stored, WorkerOutput } from '../ports/log/event-log.ts'
import type { ErrorCode } from '../schemas/api/errors.ts'
import { type Cause, type CommandRecord, type LifecycleRecord, LOG_SCHEMA } from '../schemas/log.ts'
import type { Question } from './events/question.ts'
import type { OrderStep } from './order/step-order.ts'
import type { RenewalQuestion } from './sweep/renewal-pass.ts'

/** Approximate bytes of orders that one commit moves; the rest wait for the next. */
export const STEP_BYTES = 2 ** 22

/** Lifecycle records of one commit; it is encoded at once, which blocks the event loop. */
export const STEP_CHANGES = 100
/** Milliseconds of work between two commits, without the turns of the event loop in it. */
export const STEP_MS = 50

/** An inbox record with its place, as the cause of its effects. */
export interface StepSource {
  record: Stored<unknown>
  cause: Cause
}

/** The output of one batch's steps; it becomes visible with the batch's offset or not at all. */
export class StepBatch {
  readonly lifecycle: LifecycleRecord[] = []
  readonly dead: WorkerOutput['dead'][number][] = []
  readonly questions = new Map<string, Question>()
  renewal: RenewalQuestion | null = null
  #bytes = 0
  #ms = 0

  /** Whether the rest of a record should be left to the next commit. */
  get isFull(): boolean {
    return this.#bytes >= STEP_BYTES
  }

  /** Whether the records that follow should be left to it. */
  get isDue(): boolean {
    return this.isFull || this.lifecycle.length >= STEP_CHANGES || this.#ms >= STEP_MS
  }

  /** Counts the time that a record took, milliseconds. */
  took(ms: number): void {
    this.#ms += ms
  }

  /** No order was stepped, and there is no output. */
  get isSilent(): boolean {
    return this.#bytes === 0 && this.lifecycle.length + this.dead.length === 0
  }

  /** Throws for a step that no log would accept. */
  weigh({ order, change }: OrderStep): void {
    checkWritable(order, change)
    this.#bytes += orderWeight(order) + proofBytes(change)
  }

  /** Puts a record that could not be understood or written among the dead letters. */
  deadLetter(record: Stored<unknown>, reason: string): void {
    this.dead.push({ record, reason })
  }

  refuse(
    { requestId, orderId }: Pick<CommandRecord, 'requestId' | 'orderId'>,
    cause: Cause,
    code: ErrorCode,
    message: string,
  ): void {
    const outcome = { status: 'refused', code, message } as const
    this.lifecycle.push({ schema: LOG_SCHEMA, kind: 'outcome', requestId, orderId, outcome, cause })
  }
}
