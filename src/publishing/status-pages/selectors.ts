import type { Static } from 'typebox'
import Type from 'typebox'
import { type Fault, invalid } from '../../contract/errors.ts'
import { LARGE_BODY_BYTES, operation } from '../../contract/operation.ts'
import { body, nullable, resource } from '../../contract/schema.ts'
import { readSelector, SelectorText } from '../../contract/selector.ts'
import { parseStored } from '../../lib/json.ts'
import { matchesSelector, parseSelector, selectorText } from '../../lib/selector.ts'
import { type LabelChange, lockLabels } from '../../monitoring/labels/save.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import type { PageKey } from '../custom-domains/claims.ts'
import { pageForUpdate, pageOf } from './queries.ts'
import { ofPage } from './schema.ts'
import { MAX_SELECTED, selectorsOf, showSelected } from './selected-monitors.ts'

const PageSelectors = resource('StatusPageSelectors', {
  sections: Type.Array(
    resource('StatusPageSectionSelector', {
      name: Type.String({ description: 'The name of the section' }),
      selector: nullable(Type.String(), { description: 'In its canonical form; null if there is none' }),
    }),
    { description: 'All sections of the page, in order' },
  ),
})

export const SetStatusPageSelectors = body('SetStatusPageSelectors', {
  sections: Type.Array(
    body('StatusPageSectionSelectorInput', {
      name: Type.String({ minLength: 1, maxLength: 120, description: 'The name of a section of the page' }),
      selector: nullable(SelectorText),
    }),
    { maxItems: 50 },
  ),
})

type SectionSelectors = Static<typeof SetStatusPageSelectors>['sections']

export const getStatusPageSelectors = operation({
  ...ofPage,
  id: 'getStatusPageSelectors',
  method: 'GET',
  path: '/status-pages/:statusPageId/selectors',
  access: 'read',
  extension: true,
  tag: 'Labels',
  summary: "Get the selectors of a status page's sections",
  description: 'Which monitors the sections show by their labels.',
  answer: { status: 200, schema: PageSelectors, description: 'The sections with their selectors' },
  *handle({ caller: { orgId } }, { params }) {
    return yield* answerFor(orgId, params.statusPageId)
  },
})

export const setStatusPageSelectors = operation({
  ...ofPage,
  id: 'setStatusPageSelectors',
  method: 'PUT',
  path: '/status-pages/:statusPageId/selectors',
  extension: true,
  tag: 'Labels',
  bulk: true,
  summary: "Set the selectors of a status page's sections",
  description:
    'A section also shows the monitors that its selector matches, after the chosen ones, in order of name, and follows their ' +
    `labels: at most ${MAX_SELECTED}, the oldest, as long as the page has at most 1,000 entries. Sections that are not in the ` +
    'body, or have null, have no selector. ' +
    'A selector is removed when the page no longer has a section of that name.',
  body: SetStatusPageSelectors,
  bodyLimitBytes: LARGE_BODY_BYTES,
  answer: { status: 200, schema: PageSelectors, description: 'The sections with their selectors' },
  *handle({ caller: { orgId } }, { params, body: { sections } }) {
    yield* saveSelectors({ orgId, pageId: params.statusPageId }, sections)
    return yield* answerFor(orgId, params.statusPageId)
  },
})

/** Replaces the selectors of a page. */
export function* saveSelectors(page: PageKey, sections: SectionSelectors): DbWork<void> {
  const { orgId, pageId } = page
  const selectors = sections.flatMap(({ name, selector }, i) =>
    selector === null
      ? []
      : [{ section: name, selector: selectorText(readSelector(selector, `sections.${i}.selector`)) }],
  )
  yield* lockLabels(orgId)
  const row = yield* pageForUpdate(orgId, pageId)
  const names: readonly string[] = parseStored(row.sections).map(({ name }: { name: string }) => name)
  const faults = sections.flatMap(({ name }, i): Fault[] => {
    const path = `sections.${i}.name`
    if (!names.includes(name)) return [{ path, message: 'is not a section of this page' }]
    return sections.findIndex((other) => other.name === name) < i ? [{ path, message: 'is given more than once' }] : []
  })
  if (faults.length > 0) throw invalid(faults)
  yield* execute(q.deleteFrom('status_page_selectors').where('org_id', '=', orgId).where('page_id', '=', pageId))
  if (selectors.length > 0) {
    const rows = selectors.map((each) => ({ org_id: orgId, page_id: pageId, ...each }))
    yield* execute(q.insertInto('status_page_selectors').values(rows))
  }
  yield* showSelected(page, row.sections)
}

function* answerFor(orgId: string, pageId: string) {
  const { sections } = yield* pageOf(orgId, pageId)
  const selectors = new Map((yield* selectorsOf({ orgId, pageId })).map(({ section, selector }) => [section, selector]))
  const named = (parseStored(sections) as readonly { name: string }[]).map(({ name }) => name)
  return {
    sections: named.map((name, i) => ({
      name,
      // Of several sections of one name, the first has the selector.
      selector: named.indexOf(name) === i ? (selectors.get(name) ?? null) : null,
    })),
  }
}

/** Pages with selectors follow the labels of monitors. */
export function* followLabelsOnPages(orgId: string, changes: readonly LabelChange[]): DbWork<void> {
  const moved = new Set<string>()
  const selectors = q.selectFrom('status_page_selectors').select(['page_id', 'selector']).where('org_id', '=', orgId)
  for (const { page_id: pageId, selector: text } of yield* execute(selectors.orderBy('page_id'))) {
    const selector = parseSelector(text)
    const isMove = ({ before, after }: LabelChange) =>
      matchesSelector(selector, before) !== matchesSelector(selector, after)
    if (changes.some(isMove)) moved.add(pageId)
  }
  for (const pageId of moved) {
    const { sections } = yield* pageForUpdate(orgId, pageId)
    yield* showSelected({ orgId, pageId }, sections)
  }
}
