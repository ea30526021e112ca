import { planLimitReached, planNamed } from '../../accounts/plans/plans.ts'
import { invalid } from '../../contract/errors.ts'
import { LARGE_BODY_BYTES, networkOperation } from '../../contract/operation.ts'
import { newId } from '../../lib/ids.ts'
import { hashPassword } from '../../lib/passwords.ts'
import { foldCase } from '../../lib/text.ts'
import { parseTimeZone } from '../../lib/time-zone.ts'
import { addToList } from '../../storage/list-index.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import { claimDomain } from '../custom-domains/claims.ts'
import { normalizeDomain } from '../custom-domains/names.ts'
import { newDomainToken } from '../custom-domains/proof.ts'
import { domainInUse } from '../custom-domains/take-over.ts'
import { claimFreeSlug, claimSlug } from './claim-slug.ts'
import { pageJson } from './page-json.ts'
import { linkMonitors } from './queries.ts'
import { serializeSettings } from './render.ts'
import { newPageFaults } from './rules.ts'
import { CreateStatusPage, StatusPage } from './schema.ts'
import { lockMonitorsIn, serializeSections } from './sections.ts'
import { slugFrom } from './slug.ts'

/** Only a page that exists can prove a domain: the record names the page. */
const ADVICE = '. If it is yours, create the page without it and set it afterwards'

/** A network operation because password hashing is slow and must not run inside a transaction. */
export const createStatusPage = networkOperation({
  id: 'createStatusPage',
  method: 'POST',
  path: '/status-pages',
  access: 'write',
  tag: 'Status pages',
  summary: 'Create a status page',
  description:
    'An omitted slug is derived from the name, with a number appended if it is in use. A monitor may be in ' +
    'several sections, once in each.',
  body: CreateStatusPage,
  bodyLimitBytes: LARGE_BODY_BYTES,
  refine: newPageFaults,
  answer: { status: 201, schema: StatusPage, description: 'The new status page' },
  errors: ['conflict', 'plan_limit'],
  // biome-ignore lint/correctness/useYield: hashing the password needs nothing from the database
  *prepare({ caller: { orgId } }, { body: { password } }): DbWork<{ password: string | undefined; orgId: string }> {
    return { password, orgId }
  },
  async run({ password, orgId }) {
    return password === undefined ? null : hashPassword(password, { lane: 'known', key: orgId })
  },
  *save({ caller: { orgId, plan }, now, installation }, { body }, passwordHash) {
    const monitors = yield* lockMonitorsIn(orgId, body.sections)
    if (monitors.faults.length > 0) throw invalid(monitors.faults)
    const id = newId('page', now)
    const page = { orgId, pageId: id }
    if (body.slug !== undefined) yield* claimSlug(page, body.slug)
    const slug = body.slug ?? (yield* claimFreeSlug(page, slugFrom(body.name)))
    const domain = body.customDomain === null ? null : (normalizeDomain(body.customDomain) as string)
    if (domain !== null && !(yield* claimDomain(page, domain, now))) {
      throw domainInUse(domain, installation.requiresDomainProof ? ADVICE : '')
    }
    const seq = yield* addWithinPlan(orgId, plan)
    yield* execute(
      q.insertInto('status_pages').values({
        org_id: orgId,
        id,
        seq,
        name: body.name,
        folded_name: foldCase(body.name),
        slug,
        custom_domain: domain,
        domain_token: newDomainToken(),
        published: body.published ? 1 : 0,
        visibility: body.visibility,
        password_hash: passwordHash,
        settings: serializeSettings({ ...body, timezone: parseTimeZone(body.timezone) as string }),
        sections: serializeSections(body.sections),
        created_at: now,
        updated_at: now,
      }),
    )
    yield* linkMonitors(orgId, id, monitors.nums)
    return yield* pageJson({ orgId, rules: installation, now }, id)
  },
})

function* addWithinPlan(orgId: string, planName: string): DbWork<number> {
  const plan = planNamed(planName)
  const { seq, live } = yield* addToList(orgId, 'statuspage')
  if (live <= plan.statusPages) return seq
  throw planLimitReached(plan, plan.statusPages, 'status page')
}
