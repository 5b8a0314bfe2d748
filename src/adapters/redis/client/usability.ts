import { StorageUnavailableError } from '../../../ports/log/storage-errors.ts'
import { storageTrouble } from './errors.ts'
import { LOOK_AGAIN_MS } from './primary-watch.ts'

/** Whether Redis can be used now: what is connected is checked first, and used until it is gone. */
export class Usability {
  #checked: Promise<void> | null = null
  #lastError: unknown = new Error('not connected yet')
  #closed = false

  /** The check of what is connected; null while nothing is. */
  get checked(): Promise<void> | null {
    return this.#checked
  }

  get lastError(): unknown {
    return this.#lastError
  }

  /** Something is connected, whether or not it passed its check yet. */
  get isInUse(): boolean {
    return this.#checked !== null && !this.#closed
  }

  get isClosed(): boolean {
    return this.#closed
  }

  /** Why nothing is connected, or why what is connected fails. */
  readonly note = (error: unknown): void => {
    this.#lastError = error
  }

  /** Something that has passed its check is used instead. */
  replaced(): void {
    this.#checked = Promise.resolve()
  }

  gone(): void {
    this.#checked = null
  }

  /** Nothing is used unless this check passes. If it fails and still counts, `again` follows. */
  check(checking: Promise<void>, again: () => void): Promise<void> {
    this.#checked = checking
    checking.catch((error: unknown) => {
      this.#lastError = error
      const stillCounts = () => this.#checked === checking && !this.#closed
      setTimeout(() => stillCounts() && again(), LOOK_AGAIN_MS).unref()
    })
    return checking
  }

  /** Throws while Redis cannot be used. */
  async require(): Promise<void> {
    if (this.#closed) throw new StorageUnavailableError('closed', 'Redis was closed')
    if (this.#checked === null) throw storageTrouble(this.#lastError)
    await this.#checked
  }

  /** Why Redis cannot be used now; null when it can. */
  async trouble(): Promise<StorageUnavailableError | null> {
    try {
      await this.require()
      return null
    } catch (error) {
      return storageTrouble(error)
    }
  }

  close(): void {
    this.#closed = true
  }
}
