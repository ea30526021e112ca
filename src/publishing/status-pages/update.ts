import { invalid } from '../../contract/errors.ts'
import { LARGE_BODY_BYTES, networkOperation } from '../../contract/operation.ts'
import { canonicalJson } from '../../lib/json.ts'
import { hashPassword } from '../../lib/passwords.ts'
import { parseTimeZone } from '../../lib/time-zone.ts'
import { type DbWork, q, run, statement } from '../../storage/query.ts'
import { releaseDomain } from '../custom-domains/claims.ts'
import { findProof } from '../custom-domains/find-proof.ts'
import { normalizeDomain } from '../custom-domains/names.ts'
import { type Challenge, challengeFor, claimOrTakeOver } from '../custom-domains/take-over.ts'
import { claimSlug, releaseSlug } from './claim-slug.ts'
import { pageJson } from './page-json.ts'
import { linkMonitors, pageForUpdate, pageOf } from './queries.ts'
import { foldCase, type PageRow, parseSettings, serializeSettings } from './render.ts'
import { pageFaults, passwordFaults } from './rules.ts'
import { StatusPage, StatusPageParams, type StatusPagePatch, UpdateStatusPage } from './schema.ts'
import { lockMonitorsIn, rejectUnknown, serializeSections } from './sections.ts'
import { type PageKey, showSelected } from './selected-monitors.ts'

interface PageValues {
  orgId: string
  id: string
  name: string
  foldedName: string
  slug: string
  domain: string | null
  published: number
  visibility: 'PUBLIC' | 'PASSWORD'
  passwordHash: string | null
  settings: string
  sections: string
  now: number
}

const save = statement((p: PageValues) =>
  q
    .updateTable('status_pages')
    .set({
      name: p.name,
      folded_name: p.foldedName,
      slug: p.slug,
      custom_domain: p.domain,
      published: p.published,
      visibility: p.visibility,
      password_hash: p.passwordHash,
      settings: p.settings,
      sections: p.sections,
      updated_at: p.now,
    })
    .where('org_id', '=', p.orgId)
    .where('id', '=', p.id),
)

const unlinkMonitors = statement(({ orgId, id }: { orgId: string; id: string }) =>
  q.deleteFrom('status_page_monitors').where('org_id', '=', orgId).where('page_id', '=', id),
)

export const updateStatusPage = networkOperation({
  id: 'updateStatusPage',
  method: 'PATCH',
  path: '/status-pages/:statusPageId',
  access: 'write',
  tag: 'Status pages',
  summary: 'Update a status page',
  description:
    'Omitted fields keep their values; sections are replaced as a whole. The password is kept while the page ' +
    'is PUBLIC and applies again when it becomes PASSWORD.',
  params: StatusPageParams,
  body: UpdateStatusPage,
  bodyLimitBytes: LARGE_BODY_BYTES,
  refine: pageFaults,
  answer: { status: 200, schema: StatusPage, description: 'The updated status page' },
  errors: ['not_found', 'conflict'],
  *prepare({ caller: { orgId }, installation }, { params, body }) {
    const { id, custom_domain: before } = yield* pageOf(orgId, params.statusPageId)
    const domain = typeof body.customDomain === 'string' ? (normalizeDomain(body.customDomain) as string) : before
    const question =
      domain === null || domain === before ? null : yield* challengeFor({ orgId, pageId: id }, domain, installation)
    return { password: body.password, orgId, question }
  },
  async run({ password, orgId, question }, { queryDns }, signal) {
    const [passwordHash, challenge] = await Promise.all([
      password === undefined ? undefined : hashPassword(password, { lane: 'known', key: orgId }),
      question && findProof(question, queryDns, signal).then((finding): Challenge => ({ question, finding })),
    ])
    return { passwordHash, challenge }
  },
  *save({ caller: { orgId }, now, installation }, { params, body }, found) {
    yield* savePatch({ orgId, pageId: params.statusPageId }, body, found, now)
    return yield* pageJson({ orgId, rules: installation, now }, params.statusPageId)
  },
})

interface PatchResult {
  readonly passwordHash: string | undefined
  readonly challenge: Challenge | null
}

/** Saves a validated patch of a page. */
export function* savePatch(
  { orgId, pageId }: PageKey,
  patch: StatusPagePatch,
  { passwordHash, challenge }: PatchResult,
  now: number,
): DbWork<void> {
  // Locks monitors before pages, in the same order as deleting a monitor, to avoid deadlocks.
  const monitors = patch.sections && (yield* lockMonitorsIn(orgId, patch.sections))
  const before = yield* pageForUpdate(orgId, pageId)
  if (monitors) rejectUnknown(monitors)
  const after = applyPatch(before, patch, passwordHash)
  const faults = passwordFaults(after.visibility, after.password_hash !== null)
  if (faults.length > 0) throw invalid(faults)
  if (!isChange(before, after)) return
  yield* claimNewNames({ before, after, challenge }, orgId, now)
  yield* run(save, valuesOf(orgId, after, now))
  if (monitors === undefined) return
  yield* run(unlinkMonitors, { orgId, id: pageId })
  yield* linkMonitors(orgId, pageId, monitors.nums)
  yield* showSelected({ orgId, pageId }, after.sections)
}

function applyPatch(row: PageRow, patch: StatusPagePatch, passwordHash: string | undefined): PageRow {
  const { customDomain, sections, published } = patch
  const settings = { ...parseSettings(row.settings), ...patch }
  return {
    ...row,
    name: patch.name ?? row.name,
    slug: patch.slug ?? row.slug,
    custom_domain:
      typeof customDomain === 'string' ? (normalizeDomain(customDomain) as string) : keptDomain(row, patch),
    published: published === undefined ? row.published : published ? 1 : 0,
    visibility: patch.visibility ?? row.visibility,
    password_hash: passwordHash ?? row.password_hash,
    settings: serializeSettings({ ...settings, timezone: parseTimeZone(settings.timezone) as string }),
    sections: sections === undefined ? row.sections : serializeSections(sections),
  }
}

function keptDomain(row: PageRow, { customDomain }: StatusPagePatch): string | null {
  return customDomain === null ? null : row.custom_domain
}

function isChange(before: PageRow, after: PageRow): boolean {
  return canonicalJson(before) !== canonicalJson(after)
}

interface NameChange {
  readonly before: PageRow
  readonly after: PageRow
  readonly challenge: Challenge | null
}

function* claimNewNames({ before, after, challenge }: NameChange, orgId: string, now: number): DbWork<void> {
  const page = { orgId, pageId: before.id }
  if (after.slug !== before.slug) {
    yield* claimSlug(page, after.slug)
    yield* releaseSlug(page, before.slug)
  }
  if (after.custom_domain === before.custom_domain) return
  if (after.custom_domain !== null) yield* claimOrTakeOver(page, after.custom_domain, challenge, now)
  if (before.custom_domain !== null) yield* releaseDomain(page, before.custom_domain)
}

function valuesOf(orgId: string, page: PageRow, now: number): PageValues {
  return {
    orgId,
    id: page.id,
    name: page.name,
    foldedName: foldCase(page.name),
    slug: page.slug,
    domain: page.custom_domain,
    published: page.published,
    visibility: page.visibility,
    passwordHash: page.password_hash,
    settings: page.settings,
    sections: page.sections,
    now,
  }
}
