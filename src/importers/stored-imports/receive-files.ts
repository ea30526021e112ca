import { type FileHandle, mkdir, open, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { ApiError, invalid } from '../../contract/errors.ts'
import type { Upload } from '../../contract/upload.ts'

/** Of all files of an upload, after decompression. */
export const MAX_UPLOAD_BYTES = 512 * 1024 * 1024
const MAX_FILES = 20
/** Stays free for the database. */
const MIN_FREE_BYTES = 256 * 1024 * 1024
/** The free space of the disk is read again after so many bytes. */
const CHECK_AFTER_BYTES = 16 * 1024 * 1024

/** A file that the client announces. Only the last one may have no size. */
interface AnnouncedFile {
  readonly name: string
  readonly bytes: number | undefined
}

export interface ReceivedFile {
  readonly name: string
  readonly path: string
  readonly bytes: number
}

/** Reads `kuma.db:40960,kuma.db-wal:4152`. Names are names in a folder: other characters are replaced. */
export function parseFileList(list: string): readonly AnnouncedFile[] {
  const files = list.split(',').map((item) => {
    const [, name = '', size] = /^(.*?)(?::(\d{1,12}))?$/.exec(item) as RegExpExecArray
    return { name: name.replaceAll(/[^\w.-]+/g, '_'), bytes: size === undefined ? undefined : Number(size) }
  })
  const fault = (message: string) => invalid([{ path: 'files', message }])
  if (files.length > MAX_FILES) throw fault(`must be at most ${MAX_FILES} files`)
  if (files.some(({ name }) => /^\.*$/.test(name) || name.length > 100)) throw fault('has a file without a usable name')
  if (new Set(files.map(({ name }) => name)).size < files.length) throw fault('has two files with the same name')
  if (files.slice(0, -1).some(({ bytes }) => bytes === undefined))
    throw fault('needs the size of each file: NAME:BYTES')
  return files
}

/** Writes the files of an upload into a new folder. */
export async function receiveFiles(
  upload: Upload,
  folder: string,
  announced: readonly AnnouncedFile[],
): Promise<readonly ReceivedFile[]> {
  if ((upload.length ?? 0) > MAX_UPLOAD_BYTES) throw tooLarge()
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await requireSpace(folder, upload.length ?? 0)
  const writer = new FileWriter(folder, announced)
  try {
    await pipeline(
      Readable.from(upload.chunks()),
      ...(upload.isGzip ? [createGunzip()] : []),
      async (chunks: AsyncIterable<Buffer>) => {
        for await (const chunk of chunks) await writer.write(chunk)
      },
    )
    return await writer.end()
  } catch (error) {
    throw isGzipFault(error) ? invalid([{ path: 'body', message: 'must be valid gzip' }]) : error
  } finally {
    await writer.close()
  }
}

function isGzipFault(error: unknown): boolean {
  return /^(Z_|ERR_PADDING|ERR_TRAILING)/.test((error as NodeJS.ErrnoException).code ?? '')
}

function tooLarge(): ApiError {
  return invalid([{ path: 'body', message: `must be at most ${MAX_UPLOAD_BYTES / 1024 / 1024} MiB` }])
}

async function requireSpace(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  if (bavail * bsize < bytes + MIN_FREE_BYTES) {
    throw new ApiError('conflict', 'The disk of the server has not enough free space for these files')
  }
}

/** Distributes a stream over the announced files. */
class FileWriter {
  readonly #folder: string
  readonly #announced: readonly AnnouncedFile[]
  readonly #received: ReceivedFile[] = []
  #file: FileHandle | undefined
  #bytes = 0
  #total = 0
  #checkedAt = 0

  constructor(folder: string, announced: readonly AnnouncedFile[]) {
    this.#folder = folder
    this.#announced = announced
  }

  async write(chunk: Buffer): Promise<void> {
    this.#total += chunk.length
    if (this.#total > MAX_UPLOAD_BYTES) throw tooLarge()
    if (this.#total > this.#checkedAt + CHECK_AFTER_BYTES) {
      this.#checkedAt = this.#total
      await requireSpace(this.#folder, CHECK_AFTER_BYTES)
    }
    for (let rest = chunk; rest.length > 0; ) {
      const announced = this.#announced[this.#received.length]
      if (announced === undefined) throw wrongSizes()
      this.#file ??= await open(join(this.#folder, announced.name), 'wx', 0o600)
      const part = rest.subarray(0, (announced.bytes ?? Number.POSITIVE_INFINITY) - this.#bytes)
      await this.#file.writeFile(part)
      this.#bytes += part.length
      rest = rest.subarray(part.length)
      if (this.#bytes === announced.bytes) await this.#endFile()
    }
  }

  /** Returns the files. Throws if some have not arrived. */
  async end(): Promise<readonly ReceivedFile[]> {
    const announced = this.#announced[this.#received.length]
    if (announced !== undefined && announced.bytes === undefined && this.#file !== undefined) await this.#endFile()
    if (this.#received.length < this.#announced.length) throw wrongSizes()
    return this.#received
  }

  async close(): Promise<void> {
    await this.#file?.close()
  }

  async #endFile(): Promise<void> {
    const { name } = this.#announced[this.#received.length] as AnnouncedFile
    this.#received.push({ name, path: join(this.#folder, name), bytes: this.#bytes })
    await this.#file?.close()
    this.#file = undefined
    this.#bytes = 0
  }
}

function wrongSizes(): ApiError {
  return invalid([{ path: 'body', message: 'must be as long as the files together' }])
}
