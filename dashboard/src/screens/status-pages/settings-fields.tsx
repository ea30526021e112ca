import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import { toRequestError } from '../../api/api-error.ts'
import { useAbout } from '../../api/get.ts'
import { useOrganization } from '../../api/organization.tsx'
import { t } from '../../lib/i18n.ts'
import { languages } from '../../lib/language.ts'
import {
  CheckboxField,
  fieldsOf,
  NameField,
  NumberField,
  SelectField,
  TextAreaField,
  TextField,
} from '../../ui/form.tsx'
import { choicesOf } from '../../ui/select.tsx'
import { TimeZoneField } from '../../ui/time-zone-field.tsx'
import { showToast } from '../../ui/toast.tsx'
import { CustomDomain } from './custom-domain.tsx'
import type { Draft } from './draft.ts'
import type { StatusPage } from './overall-status.tsx'

interface Props {
  readonly page: StatusPage
  readonly draft: Draft
  readonly onChange: (changes: Partial<Draft>) => void
}

const themes = choicesOf({ SYSTEM: t('System'), LIGHT: t('Light'), DARK: t('Dark') })
const visibilities = choicesOf({ PUBLIC: t('Public'), PASSWORD: t('Password-protected') })

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
  const field = fieldsOf(draft, onChange)
  return (
    <>
      <NameField {...field('name')} />
      <TextAreaField label={t('Description')} {...field('description')} rows={2} maxLength={1000} />
      <TextField
        label={t('Address')}
        {...field('slug')}
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
        {...field('customDomain')}
        maxLength={253}
        placeholder="status.example.com"
        hint={t('For example status.example.com. Optional.')}
      />
      <CustomDomain page={page} isSaved={draft.customDomain === (page.customDomain ?? '')} />
      <TextField label={t('Website URL')} {...field('homepageUrl')} type="url" placeholder="https://example.com" />
      <TextField
        label={t('Contact URL')}
        {...field('contactUrl')}
        type="url"
        placeholder="https://example.com/contact"
      />
    </>
  )
}

export function AccessFields({ page, draft, onChange }: Props) {
  const field = fieldsOf(draft, onChange)
  const about = useAbout()
  return (
    <>
      <SelectField label={t('Visibility')} {...field('visibility')} choices={visibilities} />
      {draft.visibility === 'PASSWORD' && (
        <TextField
          label={page.passwordSet ? t('New password') : t('Password')}
          {...field('password')}
          type="password"
          autocomplete="new-password"
          minLength={8}
          maxLength={128}
          required={!page.passwordSet}
          hint={page.passwordSet ? t('Leave empty to keep the current password.') : t('At least 8 characters.')}
        />
      )}
      <CheckboxField label={t('Hide from search engines')} {...field('hideFromSearch')} />
      <CheckboxField
        label={t('Subscriptions')}
        hint={
          about.data?.mail === false
            ? t(
                'Visitors can subscribe by Slack and webhook. E-mail requires a mail server (PHAROS_SMTP_URL). Feeds and the calendar are always available.',
              )
            : t('Visitors can subscribe by e-mail, Slack and webhook. Feeds and the calendar are always available.')
        }
        {...field('subscribersEnabled')}
      />
    </>
  )
}

export function AppearanceFields({ page, draft, onChange }: Props) {
  const field = fieldsOf(draft, onChange)
  const isColour = /^#[0-9a-f]{6}$/i.test(draft.accentColor)
  return (
    <>
      <div class="grid gap-4 sm:grid-cols-2">
        <SelectField label={t('Theme')} {...field('theme')} choices={themes} />
        <SelectField label={t('Language')} {...field('locale')} choices={choicesOf(languages)} />
      </div>
      <div class="flex items-end gap-2">
        <div class="grow">
          <TextField
            label={t('Accent color')}
            {...field('accentColor')}
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
      <TextField label={t('Logo URL')} {...field('logoUrl')} type="url" placeholder="https://example.com/logo.svg" />
      <LogoUpload pageId={page.id} onUploaded={(logoUrl) => onChange({ logoUrl })} />
      <TextField
        label={t('Favicon URL')}
        {...field('faviconUrl')}
        type="url"
        placeholder="https://example.com/icon.png"
      />
      <TimeZoneField {...field('timezone')} hint={t('Times and dates on the page use this time zone.')} />
      <NumberField label={t('Days of history')} {...field('historyDays')} min={7} max={365} required />
      <CheckboxField label={t('Show uptime')} {...field('showUptime')} />
      <CheckboxField label={t('Show response times')} {...field('showResponseTimes')} />
    </>
  )
}

const MAX_BYTES = 256 * 1024

function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    // data:image/png;base64,…
    reader.onload = () => resolve(String(reader.result).replace(/^.*,/, ''))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(file)
  })
}

/** Uploads a logo at once; the page then has its address. */
function LogoUpload({ pageId, onUploaded }: { pageId: string; onUploaded: (logoUrl: string) => void }) {
  const { api, refresh, may } = useOrganization()
  const id = useId()
  const [problem, setProblem] = useState<string>()
  if (!may('MEMBER')) return null
  const upload = async (file: File | undefined) => {
    setProblem(undefined)
    if (file === undefined) return
    if (file.size > MAX_BYTES) return setProblem(t('The image is larger than 256 KB.'))
    try {
      const image = await base64Of(file)
      const path = { statusPageId: pageId }
      const page = await api.PUT('/api/v1/status-pages/{statusPageId}/logo', { path, body: { image } })
      onUploaded(page.logoUrl ?? '')
      await refresh('status_page')
      showToast(t('Logo uploaded'))
    } catch (thrown) {
      setProblem(toRequestError(thrown).message)
    }
  }
  return (
    <div>
      <label for={id} class="mb-1 block">
        {t('Upload a logo')}
      </label>
      <input
        id={id}
        class="input"
        type="file"
        accept="image/png,image/jpeg,image/gif,image/webp"
        aria-describedby={`${id}-hint`}
        onChange={(event) => void upload(event.currentTarget.files?.[0])}
      />
      <p
        id={`${id}-hint`}
        role="status"
        class={`mt-1 text-xs ${problem === undefined ? 'text-muted' : 'text-down-text'}`}
      >
        {problem ?? t('PNG, JPEG, GIF or WebP, up to 256 KB')}
      </p>
    </div>
  )
}
