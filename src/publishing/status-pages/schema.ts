import Type, { type Static } from 'typebox'
import { patterns } from '../../contract/patterns.ts'
import {
  body,
  DOCUMENTED,
  defaulted,
  documented,
  nullable,
  oneOf,
  page,
  pageQuery,
  resource,
  singleLine,
  Timestamp,
} from '../../contract/schema.ts'
import { overallStatuses } from './overall-status.ts'

/** Languages of the public pages. */
export const locales = ['en', 'de', 'es', 'fr', 'ja', 'pt', 'zh'] as const
const visibilities = ['PUBLIC', 'PASSWORD'] as const
export const themes = ['SYSTEM', 'LIGHT', 'DARK'] as const

const address = nullable(Type.String({ maxLength: 2048 }), {
  description: 'An http:// or https:// address',
  [DOCUMENTED]: { pattern: patterns.httpUrl, examples: ['https://shop.example/logo.svg'] },
})

/** Of all sections of a page together. More would take too long to read and render. */
export const MAX_ENTRIES = 1_000

const SectionInput = body('StatusPageSectionInput', {
  name: singleLine({ minLength: 1, maxLength: 120 }),
  monitors: defaulted(
    Type.Array(
      body('StatusPageMonitorInput', {
        monitorId: Type.String({ minLength: 1, description: 'At most once in a section' }),
        displayName: defaulted(nullable(singleLine({ minLength: 1, maxLength: 120 })), null),
      }),
      { maxItems: 500, [DOCUMENTED]: { uniqueItems: true } },
    ),
    [],
  ),
})

/** Every field a user can set, with its bounds. */
const fields = {
  name: singleLine({ minLength: 1, maxLength: 120 }),
  slug: Type.String({
    minLength: 3,
    maxLength: 63,
    description:
      'a-z, 0-9 and -, not starting or ending with -; unique on the installation. Derived from the name if ' +
      'omitted.',
    [DOCUMENTED]: { pattern: '^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$' },
  }),
  customDomain: nullable(Type.String({ maxLength: 253 }), {
    description:
      'A host name that points to this installation, without port and path; unique on the installation, stored ' +
      'in lower case',
    [DOCUMENTED]: { pattern: '^[^\\s:/?#@\\\\%\\[\\].]+(\\.[^\\s:/?#@\\\\%\\[\\].]+)+\\.?$' },
  }),
  description: nullable(Type.String({ maxLength: 1000 })),
  published: Type.Boolean({ description: 'If false, the public address answers 404' }),
  visibility: oneOf(visibilities),
  password: Type.String({
    minLength: 8,
    maxLength: 128,
    description: 'Required with the visibility PASSWORD. Never returned; see passwordSet.',
  }),
  logoUrl: address,
  faviconUrl: address,
  homepageUrl: address,
  contactUrl: address,
  theme: oneOf(themes),
  accentColor: nullable(Type.String({ maxLength: 7 }), {
    description: '#rrggbb',
    [DOCUMENTED]: { pattern: '^#[0-9A-Fa-f]{6}$' },
  }),
  locale: oneOf(locales),
  timezone: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'An IANA name',
    [DOCUMENTED]: { pattern: patterns.timezone, examples: ['Europe/Berlin'] },
  }),
  historyDays: Type.Integer({ minimum: 7, maximum: 365 }),
  showUptime: Type.Boolean(),
  showResponseTimes: Type.Boolean(),
  hideFromSearch: Type.Boolean(),
  subscribersEnabled: Type.Boolean(),
  sections: Type.Array(SectionInput, { maxItems: 50, description: 'With at most 1,000 monitors in all' }),
}

const creation = body('CreateStatusPage', {
  name: fields.name,
  slug: Type.Optional(fields.slug),
  customDomain: defaulted(fields.customDomain, null),
  description: defaulted(fields.description, null),
  published: defaulted(fields.published, true),
  visibility: defaulted(fields.visibility, 'PUBLIC'),
  password: Type.Optional(fields.password),
  logoUrl: defaulted(address, null),
  faviconUrl: defaulted(address, null),
  homepageUrl: defaulted(address, null),
  contactUrl: defaulted(address, null),
  theme: defaulted(fields.theme, 'SYSTEM'),
  accentColor: defaulted(fields.accentColor, null),
  locale: defaulted(fields.locale, 'en'),
  timezone: defaulted(fields.timezone, 'UTC'),
  historyDays: defaulted(fields.historyDays, 90),
  showUptime: defaulted(fields.showUptime, true),
  showResponseTimes: defaulted(fields.showResponseTimes, false),
  hideFromSearch: defaulted(fields.hideFromSearch, false),
  subscribersEnabled: defaulted(fields.subscribersEnabled, false),
  sections: defaulted(fields.sections, []),
})

export const CreateStatusPage = documented(creation, {
  if: { required: ['visibility'], properties: { visibility: { const: 'PASSWORD' } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['password'], properties: { password: { type: 'string' } } },
})
export type NewStatusPage = Static<typeof CreateStatusPage>

export const UpdateStatusPage = body('UpdateStatusPage', Type.Partial(Type.Object(fields)).properties)
export type StatusPagePatch = Static<typeof UpdateStatusPage>

const link = nullable(Type.String())

const StatusPageSection = resource('StatusPageSection', {
  name: Type.String(),
  monitors: Type.Array(
    resource('StatusPageMonitor', {
      monitorId: Type.String(),
      displayName: nullable(Type.String(), { description: "Shown instead of the monitor's name" }),
    }),
  ),
})
export type Section = Static<typeof StatusPageSection>

export const StatusPage = resource('StatusPage', {
  id: Type.String({ minLength: 1 }),
  name: Type.String(),
  slug: Type.String(),
  url: Type.String({ description: 'The public address' }),
  customDomain: nullable(Type.String()),
  description: nullable(Type.String()),
  published: Type.Boolean(),
  visibility: oneOf(visibilities),
  passwordSet: Type.Boolean(),
  logoUrl: link,
  faviconUrl: link,
  homepageUrl: link,
  contactUrl: link,
  theme: oneOf(themes),
  accentColor: nullable(Type.String()),
  locale: Type.String(),
  timezone: Type.String(),
  historyDays: Type.Integer(),
  showUptime: Type.Boolean(),
  showResponseTimes: Type.Boolean(),
  hideFromSearch: Type.Boolean(),
  subscribersEnabled: Type.Boolean(),
  sections: Type.Array(StatusPageSection),
  overallStatus: oneOf(overallStatuses, {
    description:
      'Derived from the monitors on the page, maintenance in progress and active published incidents. Paused ' +
      'and pending monitors do not count.',
  }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})

export const StatusPagePage = page('StatusPagePage', StatusPage)

/** What operations on one page share. */
export const ofPage = {
  path: '/status-pages/:statusPageId',
  access: 'write',
  tag: 'Status pages',
  params: Type.Object({ statusPageId: Type.String({ minLength: 1 }) }),
  errors: ['not_found'],
} as const

export const StatusPageQuery = Type.Object({
  ...pageQuery,
  published: Type.Optional(Type.Boolean()),
  q: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Part of the name or the slug, in any case' }),
  ),
})
