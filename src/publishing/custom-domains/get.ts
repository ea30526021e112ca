import Type, { type Static } from 'typebox'
import { operation } from '../../contract/operation.ts'
import type { DbWork } from '../../storage/query.ts'
import { claimOn, lostDomainOf, type PageKey, pageDomainOf } from './claims.ts'
import { renderDomain } from './render.ts'
import { StatusPageDomain } from './schema.ts'
import type { DomainRules } from './served.ts'

export const DomainParams = Type.Object({ statusPageId: Type.String({ minLength: 1 }) })

export const getDomain = operation({
  id: 'getDomain',
  extension: true,
  method: 'GET',
  path: '/status-pages/:statusPageId/domain',
  access: 'read',
  tag: 'Status pages',
  summary: 'Get the state of the custom domain of a status page',
  description: 'Which DNS records to create, and what the last check found. Makes no DNS lookup.',
  params: DomainParams,
  answer: { status: 200, schema: StatusPageDomain, description: 'The custom domain' },
  errors: ['not_found'],
  *handle({ caller: { orgId }, installation }, { params }) {
    return yield* domainJson({ orgId, pageId: params.statusPageId }, installation)
  },
})

export function* domainJson(key: PageKey, rules: DomainRules): DbWork<Static<typeof StatusPageDomain>> {
  const page = yield* pageDomainOf(key)
  const claim = page.custom_domain === null ? undefined : yield* claimOn(page.custom_domain)
  return renderDomain({ page, claim, lost: yield* lostDomainOf(key) }, rules)
}
