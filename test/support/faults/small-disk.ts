import { execFileSync } from 'node:child_process'
import { closeSync, fstatSync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { freeBytes } from '../../../src/adapters/free-space.ts'
import { temporaryDirectory } from '../embedded.ts'

const CHUNK_BYTES = 2 ** 20

const mount = (size: string, path: string) =>
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', path], { stdio: 'ignore' })
const unmount = (path: string) => execFileSync('umount', [path], { stdio: 'ignore' })

/** A separate file system needs the right to mount, as root has on Linux. */
export const canMount = ((): boolean => {
  const { path, drop } = temporaryDirectory()
  try {
    mount('1m', path)
    unmount(path)
    return true
  } catch {
    return false
  } finally {
    drop()
  }
})()

/** A file system in memory that can be filled, and emptied again. */
export class SmallDisk {
  readonly path: string
  readonly #ballast: string
  readonly #drop: () => void

  /** `size`: as mount(8) takes it. */
  constructor(size: string) {
    const { path, drop } = temporaryDirectory()
    mount(size, path)
    this.path = path
    this.#ballast = join(path, 'ballast')
    this.#drop = drop
  }

  /** Adds or removes filler until this many bytes are free. */
  leaveFree(bytes: number): void {
    const file = openSync(this.#ballast, 'a')
    try {
      const lacking = bytes - freeBytes(this.path)
      if (lacking > 0) ftruncateSync(file, Math.max(0, fstatSync(file).size - lacking))
      for (let over = -lacking; over > 0; over = freeBytes(this.path) - bytes) {
        writeSync(file, Buffer.alloc(Math.min(over, CHUNK_BYTES)))
      }
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
    } finally {
      closeSync(file)
    }
  }

  /** Removes the filler. */
  empty(): void {
    rmSync(this.#ballast)
  }

  [Symbol.dispose](): void {
    unmount(this.path)
    this.#drop()
  }
}
