import type { Static } from 'typebox'
import { ApiError, notFound } from '../../contract/errors.ts'
import type { OperationContext } from '../../contract/operation.ts'
import { DAY_MS } from '../../lib/clock.ts'
import { parseStored } from '../../lib/json.ts'
import { isoTimestamp } from '../../lib/timestamp.ts'
import { reason } from '../../reasons/reason.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import { pruning } from '../../storage/queue/prune.ts'
import type { ImportTable } from '../../storage/schema/configuration.ts'
import { insertLines, keepLines, removeLines, type TextId } from '../../storage/sealed-lines.ts'
import type { SourceName } from '../result.ts'
import type { Import } from './schema.ts'

const LIFETIME_MS = 7 * DAY_MS
/** Of one organization. The oldest are deleted. */
const MAX_IMPORTS = 10

/** `head` and `objects` are the report. The document is there until the import is applied. */
const parts = ['document', 'head', 'objects'] as const
export type Part = (typeof parts)[number]

/** The lines of each part, sealed. */
export type SealedParts = Readonly<Record<Part, string[]>>

export type Summary = Pick<Static<typeof Import>, 'files' | 'counts'>

/** The source of the documents of a tool in configuration as code. */
export function configurationSourceOf(source: SourceName): string {
  return `import-${source}`
}

export function textOf(orgId: string, id: string, part: Part): TextId {
  return { orgId, id: `${id} ${part}` }
}

interface NewImport {
  readonly id: string
  readonly source: SourceName
  readonly summary: Summary
  readonly sealed: SealedParts
}

export function* storeImport(
  { caller: { orgId }, now }: OperationContext,
  { id, source, summary, sealed }: NewImport,
): DbWork<ImportTable> {
  const kept = q.selectFrom('imports').select('id').where('org_id', '=', orgId).orderBy('id', 'desc')
  for (const old of (yield* execute(kept)).slice(MAX_IMPORTS - 1)) yield* removeImport(orgId, old.id)
  const row = {
    org_id: orgId,
    id,
    source,
    summary: JSON.stringify(summary),
    created_at: now,
    expires_at: now + LIFETIME_MS,
    applied_at: null,
  }
  yield* execute(q.insertInto('imports').values(row))
  for (const part of parts) yield* insertLines(textOf(orgId, id, part), sealed[part], row.expires_at)
  return row
}

/** Those that are not to be deleted. */
const presentImports = (orgId: string, now: number) =>
  q
    .selectFrom('imports')
    .selectAll()
    .where('org_id', '=', orgId)
    .where((is) => is.or([is('expires_at', 'is', null), is('expires_at', '>', now)]))

/** Newest first. */
export function* importsOf(orgId: string, now: number): DbWork<readonly ImportTable[]> {
  return yield* execute(presentImports(orgId, now).orderBy('id', 'desc'))
}

export function* importWithId({ caller, now }: OperationContext, id: string): DbWork<ImportTable> {
  const [row] = yield* execute(presentImports(caller.orgId, now).where('id', '=', id))
  if (row === undefined) throw notFound('import')
  return row
}

/** Deletes the document with its secrets. The report stays until somebody deletes it. */
export function* markApplied({ now }: OperationContext, { org_id, id }: ImportTable): DbWork<void> {
  yield* execute(
    q
      .updateTable('imports')
      .set({ applied_at: now, expires_at: null })
      .where('org_id', '=', org_id)
      .where('id', '=', id),
  )
  yield* removeLines(textOf(org_id, id, 'document'))
  for (const part of ['head', 'objects'] as const) yield* keepLines(textOf(org_id, id, part))
}

export function* removeImport(orgId: string, id: string): DbWork<void> {
  yield* execute(q.deleteFrom('imports').where('org_id', '=', orgId).where('id', '=', id))
  for (const part of parts) yield* removeLines(textOf(orgId, id, part))
}

export function alreadyApplied(): ApiError {
  return new ApiError('conflict', reason('import_applied'))
}

export function renderImport(row: ImportTable): Static<typeof Import> {
  const { files, counts } = parseStored(row.summary) as Summary
  const source = row.source as SourceName
  return {
    id: row.id,
    source,
    configurationSource: configurationSourceOf(source),
    createdAt: isoTimestamp(row.created_at),
    expiresAt: row.expires_at === null ? null : isoTimestamp(row.expires_at),
    appliedAt: row.applied_at === null ? null : isoTimestamp(row.applied_at),
    files,
    counts,
  }
}

export const pruneImports = pruning({ table: 'imports', key: ['org_id', 'id'], by: 'expires_at' })
