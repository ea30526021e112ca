import { invalid } from '../../contract/errors.ts'
import { networkOperation } from '../../contract/operation.ts'
import { canonicalJson } from '../../lib/json.ts'
import { parseTimeZone } from '../../lib/zone.ts'
import { type DbWork, q, run, statement } from '../../storage/query.ts'
import { claimDomain, claimSlug, releaseDomain, releaseSlug } from './claim-names.ts'
import { shownPage } from './page-json.ts'
import { hashPassword } from './password.ts'
import { linkMonitors, pageOf, pageToChange } from './queries.ts'
import { folded, type PageRow, settingsIn, settingsText } from './render.ts'
import { domainOf, pageFaults, passwordFaults } from './rules.ts'
import { StatusPage, StatusPageParams, type StatusPagePatch, UpdateStatusPage } from './schema.ts'
import { monitorsIn, refuseUnknown, sectionsText } from './sections.ts'

interface Saved {
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

const save = statement((p: Saved) =>
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

const unlinkAll = statement(({ orgId, id }: { orgId: string; id: string }) =>
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
    'Fields left out keep their values; sections are replaced as a whole. A password stays set when the page becomes ' +
    'PUBLIC, and counts again when it becomes PASSWORD.',
  params: StatusPageParams,
  body: UpdateStatusPage,
  refine: pageFaults,
  answer: { status: 200, schema: StatusPage, description: 'The status page as it is now' },
  errors: ['not_found', 'conflict'],
  *prepare({ caller }, { params, body }) {
    yield* pageOf(caller.orgId, params.statusPageId)
    return body.password
  },
  async run(password) {
    return password === undefined ? undefined : hashPassword(password)
  },
  *save({ caller: { orgId }, now, installation: { baseUrl } }, { params, body }, passwordHash) {
    // Monitors are held before pages, here as where a monitor is deleted: the other way round the two could deadlock.
    const monitors = body.sections && (yield* monitorsIn(orgId, body.sections))
    const before = yield* pageToChange(orgId, params.statusPageId)
    if (monitors) refuseUnknown(monitors)
    const after = patched(before, body, passwordHash)
    const faults = passwordFaults(after.visibility, after.password_hash !== null)
    if (faults.length > 0) throw invalid(faults)
    if (isChange(before, after)) {
      yield* rename({ orgId, pageId: before.id }, before, after)
      yield* run(save, savedOf(orgId, after, now))
      if (monitors) {
        yield* run(unlinkAll, { orgId, id: before.id })
        yield* linkMonitors(orgId, before.id, monitors.nums)
      }
    }
    return yield* shownPage({ orgId, baseUrl, now }, before.id)
  },
})

/** The page with what was sent in place of what it was. */
function patched(row: PageRow, patch: StatusPagePatch, passwordHash: string | undefined): PageRow {
  const { customDomain, sections, published } = patch
  const settings = { ...settingsIn(row.settings), ...patch }
  return {
    ...row,
    name: patch.name ?? row.name,
    slug: patch.slug ?? row.slug,
    custom_domain: typeof customDomain === 'string' ? (domainOf(customDomain) as string) : domainLeft(row, patch),
    published: published === undefined ? row.published : published ? 1 : 0,
    visibility: patch.visibility ?? row.visibility,
    password_hash: passwordHash ?? row.password_hash,
    settings: settingsText({ ...settings, timezone: parseTimeZone(settings.timezone) as string }),
    sections: sections === undefined ? row.sections : sectionsText(sections),
  }
}

function domainLeft(row: PageRow, { customDomain }: StatusPagePatch): string | null {
  return customDomain === null ? null : row.custom_domain
}

function isChange(before: PageRow, after: PageRow): boolean {
  return canonicalJson(before) !== canonicalJson(after)
}

function* rename(owner: { orgId: string; pageId: string }, before: PageRow, after: PageRow): DbWork<void> {
  if (after.slug !== before.slug) {
    yield* claimSlug(owner, after.slug)
    yield* releaseSlug(owner, before.slug)
  }
  if (after.custom_domain === before.custom_domain) return
  if (after.custom_domain !== null) yield* claimDomain(owner, after.custom_domain)
  if (before.custom_domain !== null) yield* releaseDomain(owner, before.custom_domain)
}

function savedOf(orgId: string, page: PageRow, now: number): Saved {
  return {
    orgId,
    id: page.id,
    name: page.name,
    foldedName: folded(page.name),
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
