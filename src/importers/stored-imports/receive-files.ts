import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { type ApiError, invalid } from '../../contract/errors.ts'
import type { Upload } from '../../contract/upload.ts'
import type { ReservedSpace } from './reserved-space.ts'

/** Of all files of an upload, after decompression. */
export const MAX_UPLOAD_BYTES = 512 * 1024 * 1024
const MAX_FILES = 20
/** Space of the disk is reserved in such portions. */
const RESERVED_BYTES = 16 * 1024 * 1024

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

interface Destination {
  /** An empty folder. */
  readonly folder: string
  readonly space: ReservedSpace
  /** Whether the reader writes a copy, for which space stays reserved. */
  readonly isCopied: boolean
}

/** Writes the files of an upload. */
export async function receiveFiles(
  upload: Upload,
  announced: readonly AnnouncedFile[],
  destination: Destination,
): Promise<readonly ReceivedFile[]> {
  if ((upload.length ?? 0) > MAX_UPLOAD_BYTES) throw tooLarge()
  const writer = new FileWriter(announced, destination)
  // Refuses early what cannot fit.
  await writer.reserve(upload.length ?? 0)
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

/** Distributes a stream over the announced files. */
class FileWriter {
  readonly #announced: readonly AnnouncedFile[]
  readonly #destination: Destination
  readonly #received: ReceivedFile[] = []
  #file: FileHandle | undefined
  #bytes = 0
  #total = 0
  #reservedTo = 0

  constructor(announced: readonly AnnouncedFile[], destination: Destination) {
    this.#announced = announced
    this.#destination = destination
  }

  /** Reserves space for what is still to be written, and for the copy. */
  async reserve(bytes: number): Promise<void> {
    const { space, isCopied } = this.#destination
    await space.reserve(bytes + (isCopied ? this.#total + bytes : 0))
  }

  async write(chunk: Buffer): Promise<void> {
    if (this.#total + chunk.length > MAX_UPLOAD_BYTES) throw tooLarge()
    if (this.#total + chunk.length > this.#reservedTo) {
      this.#reservedTo = this.#total + Math.max(chunk.length, RESERVED_BYTES)
      await this.reserve(this.#reservedTo - this.#total)
    }
    this.#total += chunk.length
    for (let rest = chunk; rest.length > 0; ) {
      const announced = this.#announced[this.#received.length]
      if (announced === undefined) throw wrongSizes()
      this.#file ??= await open(join(this.#destination.folder, announced.name), 'wx', 0o600)
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
    await this.reserve(0)
    return this.#received
  }

  async close(): Promise<void> {
    await this.#file?.close()
  }

  async #endFile(): Promise<void> {
    const { name } = this.#announced[this.#received.length] as AnnouncedFile
    this.#received.push({ name, path: join(this.#destination.folder, name), bytes: this.#bytes })
    await this.#file?.close()
    this.#file = undefined
    this.#bytes = 0
  }
}

function wrongSizes(): ApiError {
  return invalid([{ path: 'body', message: 'must be as long as the files together' }])
}
