import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import Type from 'typebox'
import { ApiError, invalid } from '../../contract/errors.ts'
import { DOCUMENT_BODY_BYTES, networkOperation } from '../../contract/operation.ts'
import type { Upload } from '../../contract/upload.ts'
import { isObject } from '../../lib/json.ts'
import { Semaphore, SemaphoreFull } from '../../lib/semaphore.ts'
import { objectIn } from '../json-files.ts'
import { countOutcomes } from '../report.ts'
import type { ImportResult } from '../result.ts'
import { readFiles } from './read-files.ts'
import { MAX_UPLOAD_BYTES, parseFileList, type ReceivedFile, receiveFiles } from './receive-files.ts'
import { reportOf } from './report.ts'
import { type StoredResult, type Summary, storeImport } from './rows.ts'
import { common, ImportReport, ToolName } from './schema.ts'

/** Of all organizations on this node, so that uploads fill neither disk nor memory. */
const MAX_RUNNING = 2
const running = new Semaphore(MAX_RUNNING, 0)
/** One of an organization, by its folder. */
const ofOrganization = new Semaphore(1, 0)

export const createImport = networkOperation({
  ...common,
  id: 'createImport',
  method: 'POST',
  path: '/imports',
  access: 'write',
  summary: 'Upload files of another tool',
  description:
    'Reads the files and returns what can be imported, with all losses. Nothing changes yet: the result is stored encrypted for a ' +
    'week. The body is the content of the files, one after the other; `files` has their names and sizes. It may be compressed with gzip; ' +
    'sizes are those before compression. One upload of an organization runs at a time.',
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
  answer: { status: 201, schema: ImportReport, description: 'What can be imported' },
  errors: ['conflict'],
  *prepare({ caller: { orgId } }, { query: { source, files = source }, body: upload }) {
    yield* []
    return { orgId, source, files: parseFileList(files), upload }
  },
  async run({ orgId, source, files, upload }, { uploadFolder }, signal) {
    const folder = join(uploadFolder, orgId)
    return inTurn(folder, async () => {
      try {
        const received = await receiveFiles(upload, folder, files)
        return { received, result: await readFiles({ source, files: received }, folder, signal) }
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    })
  },
  *save(context, { query: { source } }, { received, result }) {
    if (JSON.stringify(result.document).length > DOCUMENT_BODY_BYTES) {
      throw invalid([{ path: 'body', message: 'has more objects than can be imported at once' }])
    }
    const stored: StoredResult = { ...result, ...heartbeatsIn(result) }
    const row = yield* storeImport(context, source, summaryOf(received, result), stored)
    return yield* reportOf(context, row, stored)
  },
})

async function inTurn<T>(folder: string, task: () => Promise<T>): Promise<T> {
  try {
    return await ofOrganization.run(() => running.run(task), undefined, folder)
  } catch (error) {
    if (!(error instanceof SemaphoreFull)) throw error
    throw new ApiError('conflict', 'Another upload is being read; try again when it has ended', { cause: error })
  }
}

/** The monitors that jobs report to. The document is deleted when it has been applied. */
function heartbeatsIn({ document }: ImportResult) {
  const monitors = Object.entries(objectIn(document.monitors))
  const jobs = monitors.filter(([, fields]) => isObject(fields) && fields.type === 'CRON')
  const keepsAddress = ([, fields]: [string, unknown]) => isObject(fields) && fields.legacyAddress !== undefined
  const placeOf = ([key]: [string, unknown]) => `monitors.${key}`
  return {
    withOldAddress: jobs.filter(keepsAddress).map(placeOf),
    withNewAddress: jobs.filter((job) => !keepsAddress(job)).map(placeOf),
  }
}

function summaryOf(received: readonly ReceivedFile[], { objects }: ImportResult): Summary {
  const counts = countOutcomes(objects)
  return {
    files: received.map(({ name, bytes }) => ({ name, bytes })),
    counts: {
      mapped: counts.MAPPED,
      mappedWithLosses: counts.MAPPED_WITH_LOSSES,
      notSupported: counts.NOT_SUPPORTED,
      notMonitors: counts.NOT_A_MONITOR,
    },
  }
}
