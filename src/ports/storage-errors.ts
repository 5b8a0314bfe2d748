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
