import type { PublicSchemas } from '../../api/client.ts'
import type { StatusPage } from './overall-status.tsx'

export interface DraftMonitor {
  /** Unique key of a row while it is moved. */
  readonly key: string
  readonly monitorId: string
  readonly displayName: string
}

export interface DraftSection {
  readonly key: string
  readonly name: string
  readonly monitors: readonly DraftMonitor[]
}

type Plain = Pick<
  StatusPage,
  | 'name'
  | 'slug'
  | 'visibility'
  | 'theme'
  | 'locale'
  | 'timezone'
  | 'showUptime'
  | 'showResponseTimes'
  | 'hideFromSearch'
  | 'subscribersEnabled'
>
type Texts = Record<
  'customDomain' | 'description' | 'logoUrl' | 'faviconUrl' | 'homepageUrl' | 'contactUrl' | 'accentColor' | 'password',
  string
>

/** The page in the editor. */
export interface Draft extends Plain, Texts {
  readonly historyDays: number | null
  readonly sections: readonly DraftSection[]
}

let made = 0
export function newKey(): string {
  made += 1
  return `k${made}`
}

export function draftOf(page: StatusPage): Draft {
  return {
    name: page.name,
    slug: page.slug,
    visibility: page.visibility,
    theme: page.theme,
    locale: page.locale,
    timezone: page.timezone,
    showUptime: page.showUptime,
    showResponseTimes: page.showResponseTimes,
    hideFromSearch: page.hideFromSearch,
    subscribersEnabled: page.subscribersEnabled,
    historyDays: page.historyDays,
    customDomain: page.customDomain ?? '',
    description: page.description ?? '',
    logoUrl: page.logoUrl ?? '',
    faviconUrl: page.faviconUrl ?? '',
    homepageUrl: page.homepageUrl ?? '',
    contactUrl: page.contactUrl ?? '',
    accentColor: page.accentColor ?? '',
    password: '',
    sections: page.sections.map(({ name, monitors }) => ({
      key: newKey(),
      name,
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
  return {
    ...rest,
    locale: locale as Body['locale'],
    customDomain: orNull(draft.customDomain),
    description: orNull(draft.description),
    logoUrl: orNull(draft.logoUrl),
    faviconUrl: orNull(draft.faviconUrl),
    homepageUrl: orNull(draft.homepageUrl),
    contactUrl: orNull(draft.contactUrl),
    accentColor: orNull(draft.accentColor),
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
  const before = bodyOf(draftOf(page))
  const changed = Object.entries(bodyOf(draft)).filter(
    ([field, value]) => JSON.stringify(value) !== JSON.stringify(before[field as keyof Body]),
  )
  return Object.fromEntries(changed)
}

/** Keys of an earlier page load could collide. */
export function withNewKeys(draft: Draft): Draft {
  const sections = draft.sections.map((section) => ({
    ...section,
    key: newKey(),
    monitors: section.monitors.map((monitor) => ({ ...monitor, key: newKey() })),
  }))
  return { ...draft, sections }
}
