import Type from 'typebox'
import type { Fault } from '../../contract/errors.ts'
import { nullable } from '../../contract/schema.ts'
import { parsedSelector, SelectorText } from '../../contract/selector.ts'
import { isObject, parseStored } from '../../lib/json.ts'
import type { JsonSchema } from '../../lib/json-schema.ts'
import { selectorText } from '../../lib/selector.ts'
import { parseTimeZone } from '../../lib/time-zone.ts'
import { normalizeDomain } from '../../publishing/custom-domains/names.ts'
import { createStatusPage } from '../../publishing/status-pages/create.ts'
import { selectPages } from '../../publishing/status-pages/queries.ts'
import { parseSettings } from '../../publishing/status-pages/render.ts'
import { CreateStatusPage, type NewStatusPage } from '../../publishing/status-pages/schema.ts'
import { execute, q } from '../../storage/query.ts'
import {
  check,
  checkBody,
  type Fields,
  faultsOf,
  jsonSchemaOf,
  pick,
  renamed,
  renamedFault,
  renamedSchema,
  renaming,
  withoutDefaults,
} from './fields.ts'
import { type Call, type KindDefinition, SECRET } from './kind.ts'

const names = renaming(['monitor', 'monitorId'])

/** A section as fields have it. The API sets selectors by the name of the section. */
type Section = NewStatusPage['sections'][number] & { readonly selector: string | null }

/** A status page with the selectors of its sections. */
export const statusPages: KindDefinition = {
  noun: 'status page',
  table: 'status_pages',
  nameColumn: 'name',
  idPrefix: 'page_',
  path: '/status-pages/:statusPageId',
  param: 'statusPageId',
  names,
  schema: withSelectors(renamedSchema(jsonSchemaOf(CreateStatusPage), names)),

  read(entry, installation) {
    const { bodies, selectors, faults } = splitSections(entry.sections)
    const body = renamed({ ...entry, ...(bodies !== undefined && { sections: bodies }) }, names)
    const checked = checkBody(createStatusPage, body, installation)
    faults.push(...faultsOf(checked).map((fault) => renamedFault(fault, names)))
    if ('faults' in checked || faults.length > 0) return { faults }
    const page = checked.value as NewStatusPage
    const fields = {
      ...page,
      customDomain: page.customDomain === null ? null : normalizeDomain(page.customDomain),
      timezone: parseTimeZone(page.timezone),
      sections: page.sections.map((section, i) => ({ ...section, selector: selectors[i] ?? null })),
    }
    return { fields }
  },

  write(fields) {
    const sections = (fields.sections as readonly Section[]).map(({ name, monitors, selector }) => ({
      name,
      ...(monitors.length > 0 && {
        monitors: monitors.map(({ monitorId, displayName }) => entryOf(monitorId, displayName)),
      }),
      ...(selector !== null && { selector }),
    }))
    return renamed(withoutDefaults({ ...fields, sections }, CreateStatusPage), names) as Fields
  },

  mapReferences(fields, map) {
    const sections = (fields.sections as readonly Section[]).map((section, i) => ({
      ...section,
      monitors: section.monitors.map((entry, j) => ({
        ...entry,
        monitorId: map('monitors', entry.monitorId, `sections.${i}.monitors.${j}.monitor`),
      })),
    }))
    return { ...fields, sections }
  },

  mapSecrets(fields, map) {
    const { password } = fields
    return typeof password === 'string' ? { ...fields, password: map(password, 'password') } : fields
  },

  keptFields: ['slug', 'password'],
  hashedField: 'password',

  *load({ orgId }, ids) {
    const rows = yield* execute(selectPages(orgId).where('id', 'in', ids))
    const selectors = yield* execute(
      q
        .selectFrom('status_page_selectors')
        .select(['page_id', 'section', 'selector'])
        .where('org_id', '=', orgId)
        .where('page_id', 'in', ids),
    )
    const selectorOf = new Map(selectors.map((one) => [`${one.page_id} ${one.section}`, one.selector]))
    return rows.map((row) => {
      const sections: readonly Section[] = parseStored(row.sections)
      const fields = {
        name: row.name,
        slug: row.slug,
        customDomain: row.custom_domain,
        published: row.published === 1,
        visibility: row.visibility,
        ...(row.password_hash !== null && { password: SECRET }),
        ...parseSettings(row.settings),
        sections: sections.map((section, i) => {
          const isFirst = sections.findIndex(({ name }) => name === section.name) === i
          return { ...section, selector: (isFirst && selectorOf.get(`${row.id} ${section.name}`)) || null }
        }),
      }
      return { id: row.id, name: row.name, fields }
    })
  },

  create(fields) {
    const calls: Call[] = [{ operation: 'createStatusPage', body: withoutSelectors(fields) }]
    return hasSelector(fields) ? [...calls, selectorsCall(fields)] : calls
  },

  update(before, after, changed) {
    const calls: Call[] = [{ operation: 'updateStatusPage', body: withoutSelectors(pick(after, changed)) }]
    const isSelected = changed.has('sections') && (hasSelector(before) || hasSelector(after))
    return isSelected ? [...calls, selectorsCall(after)] : calls
  },

  remove: 'deleteStatusPage',
}

function entryOf(monitorId: string, displayName: string | null) {
  return displayName === null ? { monitorId } : { monitorId, displayName }
}

const SectionSelector = Type.Object({ selector: Type.Optional(nullable(SelectorText)) })

/** Takes the selectors out of sections that may be malformed. */
function splitSections(sections: unknown) {
  const faults: Fault[] = []
  const selectors: (string | null)[] = []
  const seen = new Set<unknown>()
  if (!Array.isArray(sections)) return { bodies: undefined, selectors, faults }
  const bodies = sections.map((section: unknown, i) => {
    selectors.push(null)
    if (!isObject(section) || !('selector' in section)) return section
    const { selector, ...others } = section
    const path = `sections.${i}.selector`
    const checked = check(SectionSelector, { selector })
    faults.push(...faultsOf(checked, `sections.${i}`))
    if ('faults' in checked || typeof selector !== 'string') return others
    const parsed = parsedSelector(selector, path)
    if ('faults' in parsed) faults.push(...parsed.faults)
    else selectors[i] = selectorText(parsed.selector)
    if (seen.has(others.name))
      faults.push({ path, message: 'must be unique: another section of this page has this name' })
    seen.add(others.name)
    return others
  })
  return { bodies, selectors, faults }
}

function withoutSelectors(fields: Fields): Fields {
  if (fields.sections === undefined) return fields
  const sections = (fields.sections as readonly Section[]).map(({ selector: _selector, ...section }) => section)
  return { ...fields, sections }
}

function hasSelector({ sections }: Fields): boolean {
  return (sections as readonly Section[]).some(({ selector }) => selector !== null)
}

function selectorsCall({ sections }: Fields): Call {
  const selected = (sections as readonly Section[]).filter(({ selector }) => selector !== null)
  return {
    operation: 'setStatusPageSelectors',
    body: { sections: selected.map(({ name, selector }) => ({ name, selector })) },
  }
}

function withSelectors(schema: JsonSchema): JsonSchema {
  const sections = schema.properties?.sections as JsonSchema
  const section = sections.items as JsonSchema
  const properties = { ...section.properties, selector: jsonSchemaOf(nullable(SelectorText)) }
  return {
    ...schema,
    properties: { ...schema.properties, sections: { ...sections, items: { ...section, properties } } },
  }
}
