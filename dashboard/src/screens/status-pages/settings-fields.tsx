import type { ComponentChildren } from 'preact'
import { useAbout } from '../../api/get.ts'
import { t } from '../../lib/i18n.ts'
import { CheckboxField, NameField, NumberField, SelectField, TextAreaField, TextField } from '../../ui/form.tsx'
import { TimeZoneField } from '../../ui/time-zone-field.tsx'
import { CustomDomain } from './custom-domain.tsx'
import type { Draft } from './draft.ts'
import { LogoUpload } from './logo-upload.tsx'
import type { StatusPage } from './overall-status.tsx'

interface Props {
  readonly page: StatusPage
  readonly draft: Draft
  readonly onChange: (changes: Partial<Draft>) => void
}

const locales = [
  { value: 'en', label: t('English') },
  { value: 'de', label: t('Deutsch') },
  { value: 'es', label: t('Español') },
  { value: 'fr', label: t('Français') },
  { value: 'ja', label: '日本語' },
  { value: 'pt', label: t('Português (Brasil)') },
  { value: 'zh', label: '中文' },
]

const themes = [
  { value: 'SYSTEM', label: t('System') },
  { value: 'LIGHT', label: t('Light') },
  { value: 'DARK', label: t('Dark') },
] as const

const visibilities = [
  { value: 'PUBLIC', label: t('Public') },
  { value: 'PASSWORD', label: t('Password-protected') },
] as const

/** A collapsible group of settings. */
export function Part({
  title,
  open = false,
  children,
}: {
  title: string
  open?: boolean
  children: ComponentChildren
}) {
  return (
    <details class="card" open={open}>
      <summary class="touch cursor-pointer px-4 py-3 text-base font-semibold">{title}</summary>
      <div class="space-y-4 border-t border-line p-4">{children}</div>
    </details>
  )
}

export function AddressFields({ page, draft, onChange }: Props) {
  return (
    <>
      <NameField value={draft.name} onValue={(name) => onChange({ name })} />
      <TextAreaField
        label={t('Description')}
        path="description"
        value={draft.description}
        onValue={(description) => onChange({ description })}
        rows={2}
        maxLength={1000}
      />
      <TextField
        label={t('Address')}
        path="slug"
        value={draft.slug}
        onValue={(slug) => onChange({ slug })}
        required
        minLength={3}
        maxLength={63}
        hint={t(
          'Your page: /status/{slug}. Use a-z, 0-9 and hyphens. If you change it, the old address becomes free for others.',
          { slug: draft.slug },
        )}
      />
      <TextField
        label={t('Custom domain')}
        path="customDomain"
        value={draft.customDomain}
        onValue={(customDomain) => onChange({ customDomain })}
        maxLength={253}
        placeholder="status.example.com"
        hint={t('For example status.example.com. Optional.')}
      />
      <CustomDomain page={page} isSaved={draft.customDomain === (page.customDomain ?? '')} />
      <TextField
        label={t('Website URL')}
        path="homepageUrl"
        type="url"
        value={draft.homepageUrl}
        onValue={(homepageUrl) => onChange({ homepageUrl })}
        placeholder="https://example.com"
      />
      <TextField
        label={t('Contact URL')}
        path="contactUrl"
        type="url"
        value={draft.contactUrl}
        onValue={(contactUrl) => onChange({ contactUrl })}
        placeholder="https://example.com/contact"
      />
    </>
  )
}

export function AccessFields({ page, draft, onChange }: Props) {
  const about = useAbout()
  return (
    <>
      <SelectField
        label={t('Visibility')}
        path="visibility"
        value={draft.visibility}
        onValue={(visibility) => onChange({ visibility })}
        choices={visibilities}
      />
      {draft.visibility === 'PASSWORD' && (
        <TextField
          label={page.passwordSet ? t('New password') : t('Password')}
          path="password"
          type="password"
          autocomplete="new-password"
          value={draft.password}
          onValue={(password) => onChange({ password })}
          minLength={8}
          maxLength={128}
          required={!page.passwordSet}
          hint={page.passwordSet ? t('Leave empty to keep the current password.') : t('At least 8 characters.')}
        />
      )}
      <CheckboxField
        label={t('Hide from search engines')}
        checked={draft.hideFromSearch}
        onValue={(hideFromSearch) => onChange({ hideFromSearch })}
      />
      <CheckboxField
        label={t('Subscriptions')}
        hint={
          about.data?.mail === false
            ? t(
                'Visitors can subscribe by Slack and webhook. E-mail requires a mail server (PHAROS_SMTP_URL). Feeds and the calendar are always available.',
              )
            : t('Visitors can subscribe by e-mail, Slack and webhook. Feeds and the calendar are always available.')
        }
        checked={draft.subscribersEnabled}
        onValue={(subscribersEnabled) => onChange({ subscribersEnabled })}
      />
    </>
  )
}

export function AppearanceFields({ page, draft, onChange }: Props) {
  const isColour = /^#[0-9a-f]{6}$/i.test(draft.accentColor)
  return (
    <>
      <div class="grid gap-4 sm:grid-cols-2">
        <SelectField
          label={t('Theme')}
          path="theme"
          value={draft.theme}
          onValue={(theme) => onChange({ theme })}
          choices={themes}
        />
        <SelectField
          label={t('Language')}
          path="locale"
          value={draft.locale}
          onValue={(locale) => onChange({ locale })}
          choices={locales}
        />
      </div>
      <div class="flex items-end gap-2">
        <div class="grow">
          <TextField
            label={t('Accent color')}
            path="accentColor"
            value={draft.accentColor}
            onValue={(accentColor) => onChange({ accentColor })}
            maxLength={7}
            placeholder="#2450b0 (default)"
          />
        </div>
        <input
          type="color"
          aria-label={t('Choose accent color')}
          class="input w-12! p-1!"
          value={isColour ? draft.accentColor : '#2450b0'}
          onInput={(event) => onChange({ accentColor: event.currentTarget.value })}
        />
      </div>
      <TextField
        label={t('Logo URL')}
        path="logoUrl"
        type="url"
        value={draft.logoUrl}
        onValue={(logoUrl) => onChange({ logoUrl })}
        placeholder="https://example.com/logo.svg"
      />
      <LogoUpload pageId={page.id} onUploaded={(logoUrl) => onChange({ logoUrl })} />
      <TextField
        label={t('Favicon URL')}
        path="faviconUrl"
        type="url"
        value={draft.faviconUrl}
        onValue={(faviconUrl) => onChange({ faviconUrl })}
        placeholder="https://example.com/icon.png"
      />
      <TimeZoneField
        value={draft.timezone}
        onValue={(timezone) => onChange({ timezone })}
        hint={t('Times and dates on the page use this time zone.')}
      />
      <NumberField
        label={t('Days of history')}
        path="historyDays"
        value={draft.historyDays}
        onValue={(historyDays) => onChange({ historyDays })}
        min={7}
        max={365}
        required
      />
      <CheckboxField
        label={t('Show uptime')}
        checked={draft.showUptime}
        onValue={(showUptime) => onChange({ showUptime })}
      />
      <CheckboxField
        label={t('Show response times')}
        checked={draft.showResponseTimes}
        onValue={(showResponseTimes) => onChange({ showResponseTimes })}
      />
    </>
  )
}
