import { gunzipSync, gzipSync } from 'node:zlib'
import type { Static } from 'typebox'
import { ApiError, notFound } from '../../contract/errors.ts'
import type { OperationContext } from '../../contract/operation.ts'
import { DAY_MS } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { isoTimestamp } from '../../lib/timestamp.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import { pruning } from '../../storage/queue/prune.ts'
import type { ImportTable } from '../../storage/schema/configuration.ts'
import type { ImportResult, SourceName } from '../result.ts'
import type { Import } from './schema.ts'

const LIFETIME_MS = 7 * DAY_MS
/** Of one organization. The oldest are deleted. */
const MAX_IMPORTS = 10

/** What is stored of an import. The document is there until the import is applied. */
export interface StoredResult extends Omit<ImportResult, 'document'> {
  readonly document: ImportResult['document'] | null
  /** The monitors whose old heartbeat address works here, by their key in the report. */
  readonly withOldAddress: readonly string[]
  /** The monitors that jobs must report to at another address. */
  readonly withNewAddress?: readonly string[]
}

export type Summary = Pick<Static<typeof Import>, 'files' | 'counts'>

/** The source of the documents of a tool in configuration as code. */
export function configurationSourceOf(source: SourceName): string {
  return `import-${source}`
}

export function* storeImport(
  context: OperationContext,
  source: SourceName,
  summary: Summary,
  result: StoredResult,
): DbWork<ImportTable> {
  const { orgId } = context.caller
  const kept = q.selectFrom('imports').select('id').where('org_id', '=', orgId).orderBy('id', 'desc')
  const old = (yield* execute(kept)).slice(MAX_IMPORTS - 1).map(({ id }) => id)
  if (old.length > 0) yield* execute(q.deleteFrom('imports').where('org_id', '=', orgId).where('id', 'in', old))
  const id = newId('imp', context.now)
  const row = {
    org_id: orgId,
    id,
    source,
    summary: JSON.stringify(summary),
    sealed: sealed(context, id, result),
    created_at: context.now,
    expires_at: context.now + LIFETIME_MS,
    applied_at: null,
  }
  yield* execute(q.insertInto('imports').values(row))
  return row
}

/** Those that are not to be deleted. */
const presentImports = (orgId: string, now: number) =>
  q
    .selectFrom('imports')
    .where('org_id', '=', orgId)
    .where((is) => is.or([is('expires_at', 'is', null), is('expires_at', '>', now)]))

/** Newest first, without the results. */
export function* importsOf(orgId: string, now: number): DbWork<readonly Omit<ImportTable, 'sealed'>[]> {
  return yield* execute(
    presentImports(orgId, now)
      .select(['org_id', 'id', 'source', 'summary', 'created_at', 'expires_at', 'applied_at'])
      .orderBy('id', 'desc'),
  )
}

export function* importWithId({ caller, now }: OperationContext, id: string): DbWork<ImportTable> {
  const [row] = yield* execute(presentImports(caller.orgId, now).selectAll().where('id', '=', id))
  if (row === undefined) throw notFound('import')
  return row
}

export function openResult({ caller, installation }: OperationContext, row: ImportTable): StoredResult {
  const text = installation.sealer.open(row.sealed, contextOf(caller.orgId, row.id))
  return JSON.parse(gunzipSync(Buffer.from(text, 'base64')).toString())
}

/** Deletes the document with its secrets. The report stays until somebody deletes it. */
export function* markApplied(context: OperationContext, row: ImportTable): DbWork<void> {
  const result = { ...openResult(context, row), document: null }
  yield* execute(
    q
      .updateTable('imports')
      .set({ sealed: sealed(context, row.id, result), applied_at: context.now, expires_at: null })
      .where('org_id', '=', row.org_id)
      .where('id', '=', row.id),
  )
}

export function* removeImport(orgId: string, id: string): DbWork<void> {
  yield* execute(q.deleteFrom('imports').where('org_id', '=', orgId).where('id', '=', id))
}

export function alreadyApplied(): ApiError {
  return new ApiError('conflict', 'This import was applied. Upload the files again to import more of them')
}

export function renderImport({ id, source, summary, ...row }: Omit<ImportTable, 'sealed'>): Static<typeof Import> {
  const { files, counts } = JSON.parse(summary) as Summary
  return {
    id,
    source: source as SourceName,
    configurationSource: configurationSourceOf(source as SourceName),
    createdAt: isoTimestamp(row.created_at),
    expiresAt: row.expires_at === null ? null : isoTimestamp(row.expires_at),
    appliedAt: row.applied_at === null ? null : isoTimestamp(row.applied_at),
    files,
    counts,
  }
}

function sealed({ caller, installation }: OperationContext, id: string, result: StoredResult): string {
  return installation.sealer.seal(gzipSync(JSON.stringify(result)).toString('base64'), contextOf(caller.orgId, id))
}

function contextOf(orgId: string, id: string): string {
  return `import ${orgId} ${id}`
}

export const pruneImports = pruning({ table: 'imports', key: ['org_id', 'id'], by: 'expires_at' })
