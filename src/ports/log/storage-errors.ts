import { OperatorError, type OutsidePart, UnavailableError } from '../base-errors.ts'

/**
 * Why the store refuses writes: no space, a device error, another owner, or closed. Or lists: what
 * they are found by is being loaded.
 */
export type StorageTrouble = 'full' | 'io' | 'in-use' | 'taken-over' | 'closed' | 'loading'

/** The stores that are servers of their own. */
export type StorageServer = 'kafka' | 'redis'

/** A store cannot be used now. No part of a refused write is visible. */
export class StorageUnavailableError extends UnavailableError {
  override name = 'StorageUnavailableError'
  readonly part = 'store'
  override readonly reason: StorageTrouble
  /** The server that gave no usable answer; null if the trouble is of this process, or of a race. */
  readonly store: StorageServer | null

  constructor(
    reason: StorageTrouble,
    message: string,
    options?: ErrorOptions & { store?: StorageServer },
  ) {
    super(message, options)
    this.reason = reason
    this.store = options?.store ?? null
  }

  override get outsidePart(): OutsidePart | null {
    return this.store ?? super.outsidePart
  }
}

/** A record is too large for the log: nothing was written, and the same write would fail again. */
export class RecordTooLargeError extends StorageUnavailableError {
  override name = 'RecordTooLargeError'

  constructor(message: string, options?: ErrorOptions) {
    super('io', message, options)
  }
}

/** The topics were made with another partition count: keys would move to other partitions. */
export class PartitionsChangedError extends OperatorError {
  override name = 'PartitionsChangedError'

  constructor(have: number, want: number) {
    super(
      `the log was created with ${have} partitions, but ${want} are configured: set ORDER_PARTITIONS to ${have}, or start with an empty log`,
    )
  }
}

/** A store of DATA_DIR has another layout: this release would not read all of it. */
export class StoreLayoutError extends OperatorError {
  override name = 'StoreLayoutError'

  /** `have`: null if it was written before layouts had numbers. */
  constructor(directory: string, have: number | null, known: number) {
    super(
      have !== null && have > known
        ? `${directory} has layout ${have}, but this release reads ${known}: start the release that wrote it, or a later one`
        : `${directory} has ${have === null ? 'an earlier layout' : `layout ${have}`}, but this release reads ${known}: delete DATA_DIR, and all that it holds is made anew or lost`,
    )
  }
}

/** A setting that a store was made with and that has since changed. */
export interface ChangedSetting {
  /** The environment variable it comes from. */
  variable: string
  have: string
  want: string
}

/** The pairing index was made with other settings: its records and checkpoints would not match. */
export class PairingSettingsChangedError extends OperatorError {
  override name = 'PairingSettingsChangedError'

  constructor(changed: readonly ChangedSetting[]) {
    const what = changed.map(({ variable, have, want }) => `${variable} ${have}, not ${want}`)
    const cure = changed.map(({ variable, have }) => `${variable} to ${have}`)
    super(
      `the pairing index was created with ${what.join(', and ')}: set ${cure.join(', and ')}, or start with an empty DATA_DIR`,
    )
  }
}
