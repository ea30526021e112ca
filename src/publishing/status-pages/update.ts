import { invalid } from '../../contract/errors.ts'
import { LARGE_BODY_BYTES, networkOperation } from '../../contract/operation.ts'
import { canonicalJson } from '../../lib/json.ts'
import { hashPassword } from '../../lib/passwords.ts'
import { foldCase } from '../../lib/text.ts'
import { parseTimeZone } from '../../lib/time-zone.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import { type PageKey, releaseDomain } from '../custom-domains/claims.ts'
import { findProof } from '../custom-domains/find-proof.ts'
import { normalizeDomain } from '../custom-domains/names.ts'
import { type Challenge, challengeFor, claimOrTakeOver } from '../custom-domains/take-over.ts'
import { claimSlug, releaseSlug } from './claim-slug.ts'
import { pageJson } from './page-json.ts'
import { linkMonitors, pageForUpdate, pageOf } from './queries.ts'
import { type PageRow, parseSettings, serializeSettings } from './render.ts'
import { pageFaults, passwordFaults } from './rules.ts'
import { ofPage, StatusPage, type StatusPagePatch, UpdateStatusPage } from './schema.ts'
import { lockMonitorsIn, serializeSections } from './sections.ts'
import { showSelected } from './selected-monitors.ts'

export const updateStatusPage = networkOperation({
  ...ofPage,
  id: 'updateStatusPage',
  method: 'PATCH',
  summary: 'Update a status page',
  description:
    'Omitted fields keep their values; sections are replaced as a whole. The password is kept while the page ' +
    'is PUBLIC and applies again when it becomes PASSWORD.',
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
    yield* savePatch({ orgId, pageId: params.statusPageId }, body, now, found)
    return yield* pageJson({ orgId, rules: installation, now }, params.statusPageId)
  },
})

interface PatchResult {
  readonly passwordHash: string | undefined
  readonly challenge: Challenge | null
}

/** Saves a validated patch of a page. Only a patch with a password or a domain needs a result of the network. */
export function* savePatch(
  { orgId, pageId }: PageKey,
  patch: StatusPagePatch,
  now: number,
  { passwordHash, challenge }: PatchResult = { passwordHash: undefined, challenge: null },
): DbWork<void> {
  // Locks monitors before pages, in the same order as deleting a monitor, to avoid deadlocks.
  const monitors = patch.sections && (yield* lockMonitorsIn(orgId, patch.sections))
  const before = yield* pageForUpdate(orgId, pageId)
  if (monitors && monitors.faults.length > 0) throw invalid(monitors.faults)
  const after = applyPatch(before, patch, passwordHash)
  const faults = passwordFaults(after.visibility, after.password_hash !== null)
  if (faults.length > 0) throw invalid(faults)
  if (canonicalJson({ ...before, ...after }) === canonicalJson(before)) return
  yield* claimNewNames({ before, after, challenge }, orgId, now)
  const changed = { ...after, folded_name: foldCase(after.name), updated_at: now }
  yield* execute(q.updateTable('status_pages').set(changed).where('org_id', '=', orgId).where('id', '=', pageId))
  if (monitors === undefined) return
  yield* execute(q.deleteFrom('status_page_monitors').where('org_id', '=', orgId).where('page_id', '=', pageId))
  yield* linkMonitors(orgId, pageId, monitors.nums)
  yield* showSelected({ orgId, pageId }, after.sections)
}

/** The columns after a change. */
function applyPatch(row: PageRow, patch: StatusPagePatch, passwordHash: string | undefined) {
  const { name = row.name, slug = row.slug, visibility = row.visibility, customDomain, sections, published } = patch
  const settings = { ...parseSettings(row.settings), ...patch }
  return {
    name,
    slug,
    custom_domain:
      typeof customDomain === 'string'
        ? (normalizeDomain(customDomain) as string)
        : customDomain === null
          ? null
          : row.custom_domain,
    published: published === undefined ? row.published : published ? 1 : 0,
    visibility,
    password_hash: passwordHash ?? row.password_hash,
    settings: serializeSettings({ ...settings, timezone: parseTimeZone(settings.timezone) as string }),
    sections: sections === undefined ? row.sections : serializeSections(sections),
  }
}

interface NameChange {
  readonly before: PageRow
  readonly after: Pick<PageRow, 'slug' | 'custom_domain'>
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
