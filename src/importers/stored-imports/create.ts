import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import Type from 'typebox'
import { ApiError } from '../../contract/errors.ts'
import { networkOperation } from '../../contract/operation.ts'
import type { Upload } from '../../contract/upload.ts'
import { newId } from '../../lib/ids.ts'
import { Semaphore, SemaphoreFull } from '../../lib/semaphore.ts'
import { reason } from '../../reasons/reason.ts'
import { sealLine } from '../../storage/sealed-lines.ts'
import { sources } from '../sources.ts'
import { readFiles } from './read-files.ts'
import { MAX_UPLOAD_BYTES, parseFileList, receiveFiles } from './receive-files.ts'
import { ReservedSpace } from './reserved-space.ts'
import { type Part, renderImport, type SealedParts, type Summary, storeImport, textOf } from './rows.ts'
import { common, Import, ToolName } from './schema.ts'

/** Reader processes of all organizations on this node. */
const MAX_READERS = 2
const MAX_WAITING = 8
/** As long as one reader may take. */
const MAX_WAIT_MS = 60_000
const RETRY_SECONDS = 30
const readers = new Semaphore(MAX_READERS, MAX_WAITING)
/** One upload of an organization, by its folder. */
const uploads = new Semaphore(1, 0)

export const createImport = networkOperation({
  ...common,
  id: 'createImport',
  method: 'POST',
  path: '/imports',
  access: 'write',
  savesMuch: true,
  summary: 'Upload files of another tool',
  description:
    'Reads the files. Nothing changes yet: the result is stored encrypted for a week, and `GET /imports/{importId}` returns what can be ' +
    'imported, with all losses. The body is the content of the files, one after the other; `files` has their names and sizes. It may be ' +
    'compressed with gzip; sizes are those before compression. One upload of an organization runs at a time, and must arrive with ' +
    '64 KiB per second.',
  query: Type.Object({
    source: ToolName,
    files: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 4000,
        description: '`NAME:BYTES` of each file, separated by commas. The last one, or a single file, needs no size.',
      }),
    ),
  }),
  body: Type.Unsafe<Upload>({}),
  isUpload: true,
  bodyLimitBytes: MAX_UPLOAD_BYTES,
  answer: { status: 201, schema: Import, description: 'What was read' },
  errors: ['conflict'],
  *prepare({ caller: { orgId }, now }, { query: { source, files = source }, body: upload }) {
    yield* []
    return { orgId, id: newId('imp', now), source, announced: parseFileList(files), upload }
  },
  async run({ orgId, id, source, announced, upload }, { uploadFolder, sealer }, signal) {
    const folder = join(uploadFolder, orgId)
    const sealed: SealedParts = { document: [], head: [], objects: [] }
    const seal = (part: Part, json: string): void => {
      const lines = sealed[part]
      lines.push(sealLine(sealer, textOf(orgId, id, part), lines.length, json))
    }
    const summary = await alone(folder, async (): Promise<Summary> => {
      using space = new ReservedSpace(folder)
      const isCopied = sources[source].copiesFiles === true
      const files = await receiveFiles(upload, announced, { folder, space, isCopied })
      const { counts, report } = await withReader(signal, () => readFiles({ source, files }, folder, signal, seal))
      seal('head', JSON.stringify(report))
      return {
        files: files.map(({ name, bytes }) => ({ name, bytes })),
        counts: {
          mapped: counts.MAPPED,
          mappedWithLosses: counts.MAPPED_WITH_LOSSES,
          notSupported: counts.NOT_SUPPORTED,
          notMonitors: counts.NOT_A_MONITOR,
        },
      }
    })
    return { id, summary, sealed }
  },
  *save(context, { query: { source } }, { id, summary, sealed }) {
    return renderImport(yield* storeImport(context, { id, source, summary, sealed }))
  },
})

/** Runs a task with an empty folder, which is deleted afterwards. One of an organization runs at a time. */
async function alone<T>(folder: string, task: () => Promise<T>): Promise<T> {
  const run = async (): Promise<T> => {
    try {
      await rm(folder, { recursive: true, force: true })
      await mkdir(folder, { recursive: true, mode: 0o700 })
      return await task()
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
  return uploads.run(run, undefined, folder).catch((error: unknown) => {
    if (!(error instanceof SemaphoreFull)) throw error
    throw new ApiError('conflict', reason('upload_in_progress'), { cause: error })
  })
}

/** Waits until a reader process may be started. What has arrived meanwhile takes only space on the disk. */
async function withReader<T>(stopping: AbortSignal, task: () => Promise<T>): Promise<T> {
  const late = AbortSignal.timeout(MAX_WAIT_MS)
  const release = await readers.acquire(AbortSignal.any([late, stopping])).catch((cause: unknown) => {
    throw new ApiError('rate_limited', `Uploads of others are being read; try again in ${RETRY_SECONDS} s`, {
      cause,
      headers: { 'retry-after': `${RETRY_SECONDS}` },
    })
  })
  try {
    return await task()
  } finally {
    release()
  }
}
