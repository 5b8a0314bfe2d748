/** The files of a backup, by their paths in it: in a folder, or under a prefix in a bucket. */
export interface BackupFiles {
  /** As the operator named the place. */
  readonly where: string
  /** Files, and folders of files, right below the backup or one of its folders; empty: there is none. */
  names(folder?: string): Promise<string[]>
  /**
   * Null: there is no such file.
   *
   * @throws BackupRefusedError if it is larger than a file of a backup
   */
  read(path: string): Promise<Buffer | null>
  /**
   * The file is there, whole, when this resolves, and no part of it was there before.
   *
   * @throws StorageUnavailableError (`full`)
   */
  write(path: string, contents: Uint8Array): Promise<void>
  remove(path: string): Promise<void>
}

/** Bytes of the largest file that is read. The files of a backup have some 4 MiB, its list of them less than 1 kB each. */
export const MAX_FILE_BYTES = 2 ** 28
