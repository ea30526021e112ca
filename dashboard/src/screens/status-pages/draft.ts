import { fieldErrorAt, type RequestError } from '../../api/api-error.ts'
import type { PublicSchemas } from '../../api/client.ts'
import { t } from '../../lib/i18n.ts'
import { faultIn, selectorIn } from '../../lib/selector.ts'
import type { StatusPage } from './overall-status.tsx'
import type { SectionSelectors } from './section-selectors.ts'

export interface DraftMonitor {
  /** Unique key of a row while it is moved. */
  readonly key: string
  readonly monitorId: string
  readonly displayName: string
}

export interface DraftSection {
  readonly key: string
  readonly name: string
  /** Empty if the section has none. */
  readonly selector: string
  readonly monitors: readonly DraftMonitor[]
}

const plainFields = [
  'name',
  'slug',
  'visibility',
  'theme',
  'locale',
  'timezone',
  'showUptime',
  'showResponseTimes',
  'hideFromSearch',
  'subscribersEnabled',
] as const

/** Null in the page, empty in the form. */
const textFields = [
  'customDomain',
  'description',
  'logoUrl',
  'faviconUrl',
  'homepageUrl',
  'contactUrl',
  'accentColor',
] as const

type Texts<T> = Record<(typeof textFields)[number], T>

/** The page in the editor. */
export interface Draft extends Pick<StatusPage, (typeof plainFields)[number]>, Texts<string> {
  readonly historyDays: number | null
  readonly password: string
  readonly sections: readonly DraftSection[]
}

let keyCount = 0
export function newKey(): string {
  keyCount += 1
  return `k${keyCount}`
}

/** The selectors of the sections that the page has. They belong to names; of several sections of one name, the first has it. */
export function selectorsOn({ sections }: Pick<StatusPage, 'sections'>, saved: SectionSelectors): SectionSelectors {
  return sections.map(({ name }, i) => {
    const isFirst = sections.findIndex((one) => one.name === name) === i
    return { name, selector: isFirst ? (saved.find((one) => one.name === name)?.selector ?? null) : null }
  })
}

export function draftOf(page: StatusPage, selectors: SectionSelectors): Draft {
  const saved = selectorsOn(page, selectors)
  const plain = Object.fromEntries(plainFields.map((name) => [name, page[name]]))
  const texts = Object.fromEntries(textFields.map((name) => [name, page[name] ?? '']))
  return {
    ...(plain as Pick<StatusPage, (typeof plainFields)[number]>),
    ...(texts as Texts<string>),
    historyDays: page.historyDays,
    password: '',
    sections: page.sections.map(({ name, monitors }, i) => ({
      key: newKey(),
      name,
      selector: saved[i]?.selector ?? '',
      monitors: monitors.map(({ monitorId, displayName }) => ({
        key: newKey(),
        monitorId,
        displayName: displayName ?? '',
      })),
    })),
  }
}

type Body = PublicSchemas['UpdateStatusPage']

function bodyOf(draft: Draft): Body {
  const { password, sections, historyDays, locale, ...rest } = draft
  const orNull = (text: string) => (text.trim() === '' ? null : text.trim())
  const texts = Object.fromEntries(textFields.map((name) => [name, orNull(draft[name])]))
  return {
    ...rest,
    ...(texts as Texts<string | null>),
    locale: locale as Body['locale'],
    ...(historyDays !== null && { historyDays }),
    ...(password !== '' && { password }),
    sections: sections.map(({ name, monitors }) => ({
      name,
      monitors: monitors.map(({ monitorId, displayName }) => ({ monitorId, displayName: orNull(displayName) })),
    })),
  }
}

/** Changed fields only, so that other users' changes are kept. */
export function changesOf(page: StatusPage, draft: Draft): Body {
  const before = bodyOf(draftOf(page, []))
  const changed = Object.entries(bodyOf(draft)).filter(
    ([field, value]) => JSON.stringify(value) !== JSON.stringify(before[field as keyof Body]),
  )
  return Object.fromEntries(changed)
}

/** The selectors to save; undefined if they are as saved. */
export function selectorChanges(saved: SectionSelectors, draft: Draft): SectionSelectors | undefined {
  const after = draft.sections.flatMap(({ name, selector: text }) => {
    const selector = selectorIn(text)
    return selector === null ? [] : [{ name, selector }]
  })
  const before = saved.filter(({ selector }) => selector !== null).map(({ name, selector }) => ({ name, selector }))
  return JSON.stringify(after) === JSON.stringify(before) ? undefined : after
}

/** What is wrong with the selectors, found before anything is saved. */
export function selectorError({ sections }: Draft): RequestError | undefined {
  for (const [i, { name, selector }] of sections.entries()) {
    if (selectorIn(selector) === null) continue
    const isRepeated = sections.findIndex((one) => one.name === name) < i
    const fault = isRepeated ? t('Rename this section: an earlier one has the same name.') : faultIn(selector)
    if (fault !== undefined) return fieldErrorAt(`sections.${i}.selector`, fault)
  }
}

/** The field that a conflict is about. The API names no path: the message has the value that is in use. */
export function fieldInConflict({ slug, customDomain }: Body, message: string): 'slug' | 'customDomain' | undefined {
  if (typeof customDomain !== 'string') return slug === undefined ? undefined : 'slug'
  return slug === undefined || message.includes(customDomain) ? 'customDomain' : 'slug'
}

/** Keys of an earlier page load could collide. */
export function withNewKeys(draft: Draft): Draft {
  const sections = draft.sections.map((section) => ({
    ...section,
    // A draft of an earlier version has none.
    selector: section.selector ?? '',
    key: newKey(),
    monitors: section.monitors.map((monitor) => ({ ...monitor, key: newKey() })),
  }))
  return { ...draft, sections }
}
