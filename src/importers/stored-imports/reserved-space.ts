import { statfs } from 'node:fs/promises'
import { ApiError } from '../../contract/errors.ts'
import { reason } from '../../reasons/reason.ts'

/** Stays free for the database. */
const MIN_FREE_BYTES = 256 * 1024 * 1024

/** Of all uploads of this process: what they may still write. */
let reservedBytes = 0

/** Space of a disk that an upload may still use. Others do not count on it. */
export class ReservedSpace {
  readonly #folder: string
  #bytes = 0

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Replaces what was reserved before. Throws a 409 if the disk has less. */
  async reserve(bytes: number): Promise<void> {
    reservedBytes += bytes - this.#bytes
    this.#bytes = bytes
    const { bavail, bsize } = await statfs(this.#folder)
    if (bavail * bsize < reservedBytes + MIN_FREE_BYTES) {
      throw new ApiError('conflict', reason('server_disk_full'))
    }
  }

  [Symbol.dispose](): void {
    reservedBytes -= this.#bytes
    this.#bytes = 0
  }
}
