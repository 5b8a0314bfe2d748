/** Why the store takes no writes: no space, an error of the device, another owner, or closed. */
export type StorageTrouble = 'full' | 'io' | 'in-use' | 'taken-over' | 'closed'

/** A store can not keep what it is given now. Nothing of the refused write is visible. */
export class StorageUnavailable extends Error {
  override name = 'StorageUnavailable'
  readonly reason: StorageTrouble

  constructor(reason: StorageTrouble, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

/** The topics were made with another partition count: keys would move to other partitions. */
export class PartitionsChanged extends Error {
  override name = 'PartitionsChanged'

  constructor(have: number, want: number) {
    super(
      `the log was made with ${have} partitions and ${want} are configured: set ORDER_PARTITIONS to ${have}, or start with an empty log`,
    )
  }
}
