import { useGet } from '../../api/get.ts'
import { useOrganization } from '../../api/organization.tsx'
import { t } from '../../lib/i18n.ts'
import { fieldsOf, NumberField, SelectField, TextAreaField, TextField } from '../../ui/form.tsx'
import { InfoNotice } from '../../ui/notice.tsx'
import { choicesOf } from '../../ui/select.tsx'
import {
  hasSecrets,
  type RequestDraft,
  requestBodyOf,
  requestDraftOf,
  requestFields,
  SECRET_SET,
  withoutSecrets,
} from './request-draft.ts'
import type { EditedMonitor, MonitorType } from './types.ts'

interface Props {
  readonly draft: RequestDraft
  readonly stored: RequestDraft
  readonly set: (draft: RequestDraft) => void
  readonly type: MonitorType
  /** Why secrets must be entered again. */
  readonly notice: string | null
}

type TextName = { [K in keyof RequestDraft]: RequestDraft[K] extends string ? K : never }[keyof RequestDraft]

const logins = [
  { value: 'NONE', label: t('None') },
  { value: 'BASIC', label: t('Basic (user and password)') },
  { value: 'DIGEST', label: t('Digest (user and password)') },
  { value: 'BEARER', label: t('Bearer token') },
  { value: 'OAUTH2_CLIENT_CREDENTIALS', label: t('OAuth2 (client credentials)') },
] as const

const protocols = choicesOf({ HTTP: 'HTTP', WEBSOCKET: 'WebSocket', GRPC_HEALTH: t('gRPC health') })

const families = [
  { value: 'AUTO', label: t('Automatic') },
  { value: 'IPV4', label: t('IPv4 only') },
  { value: 'IPV6', label: t('IPv6 only') },
  { value: 'BOTH', label: t('IPv4 and IPv6, both must work') },
] as const

/** How requests are sent. Only the fields of the type are shown. */
function RequestOptionFields({ draft, stored, set, type, notice }: Props) {
  const has = (name: (typeof requestFields.HTTP & object)[number]) => requestFields[type]?.includes(name) === true
  const change = (some: Partial<RequestDraft>) => set({ ...draft, ...some })
  const field = fieldsOf(draft, change)
  return (
    <details
      class="rounded-md border border-line"
      open={notice !== null}
      onInvalidCapture={(event) => event.currentTarget.setAttribute('open', '')}
    >
      <summary class="touch cursor-pointer px-4 py-2 font-medium">{t('Connection and login')}</summary>
      <div class="space-y-4 border-t border-line p-4">
        {notice !== null && <InfoNotice>{notice}</InfoNotice>}
        {has('protocol') && <Protocol draft={draft} change={change} />}
        {has('auth') && <Login draft={draft} stored={stored} change={change} />}
        {has('clientCertificate') && <Certificates draft={draft} stored={stored} change={change} />}
        <div class="grid gap-4 sm:grid-cols-2">
          {has('proxyUrl') && (
            <TextField
              label={t('Proxy')}
              {...field('proxyUrl')}
              {...plain}
              hint={t('For example socks5://user:password@proxy.example:1080')}
            />
          )}
          {has('maxRedirects') && (
            <NumberField
              label={t('Maximum redirects')}
              {...field('maxRedirects')}
              min={0}
              max={20}
              hint={t('10 by default')}
            />
          )}
          {has('addressFamily') && (
            <SelectField label={t('IP version')} {...field('addressFamily')} choices={families} />
          )}
          {has('resolver') && (
            <TextField
              label={t('DNS server')}
              {...field('resolver')}
              {...plain}
              hint={t('Host and port, for example 192.0.2.53:53')}
            />
          )}
          {has('serverName') && (
            <TextField
              label={t('TLS server name')}
              {...field('serverName')}
              {...plain}
              hint={t('Sent and verified instead of the host')}
            />
          )}
        </div>
      </div>
    </details>
  )
}

const plain = { autocomplete: 'off', spellcheck: false, maxLength: 2048 } as const

interface PartProps {
  readonly draft: RequestDraft
  readonly change: (some: Partial<RequestDraft>) => void
}

function Protocol({ draft, change }: PartProps) {
  const field = fieldsOf(draft, change)
  return (
    <div class="grid gap-4 sm:grid-cols-2">
      <SelectField
        label={t('Protocol')}
        {...field('protocol')}
        choices={protocols}
        hint={
          draft.protocol === 'WEBSOCKET'
            ? t('Up if the server accepts the upgrade')
            : draft.protocol === 'GRPC_HEALTH'
              ? t('Up if the health service reports SERVING')
              : undefined
        }
      />
      {draft.protocol === 'GRPC_HEALTH' && (
        <TextField
          label={t('gRPC service')}
          {...field('grpcService')}
          {...plain}
          hint={t('Leave empty for the whole server')}
        />
      )}
    </div>
  )
}

interface SecretPartProps extends PartProps {
  readonly stored: RequestDraft
}

function Login({ draft, stored, change }: SecretPartProps) {
  const { authType } = draft
  // The secret of one kind is not that of another.
  const kept = (type: RequestDraft['authType']) =>
    type === stored.authType ? stored : { password: '', token: '', clientSecret: '' }
  const field = (name: TextName, label: string, hint?: string) => (
    <TextField label={label} {...fieldsOf(draft, change)(name)} path={`auth.${name}`} {...plain} hint={hint} />
  )
  const secret = (name: 'password' | 'token' | 'clientSecret', label: string) => (
    <SecretField
      label={label}
      path={`auth.${name}`}
      value={draft[name]}
      onValue={(value) => change({ [name]: value === '' ? kept(authType)[name] : value })}
    />
  )
  return (
    <div class="grid gap-4 sm:grid-cols-2">
      <div class="sm:col-span-2">
        <SelectField
          label={t('Login')}
          path="auth.type"
          value={authType}
          onValue={(next) => {
            const { password, token, clientSecret } = kept(next)
            change({ authType: next, password, token, clientSecret })
          }}
          choices={logins}
          hint={authType === 'NONE' ? undefined : t('Replaces an Authorization header')}
        />
      </div>
      {(authType === 'BASIC' || authType === 'DIGEST') && (
        <>
          {field('username', t('User'))}
          {secret('password', t('Password'))}
        </>
      )}
      {authType === 'BEARER' && secret('token', t('Token'))}
      {authType === 'OAUTH2_CLIENT_CREDENTIALS' && (
        <>
          <div class="sm:col-span-2">{field('tokenUrl', t('Token URL'))}</div>
          {field('clientId', t('Client ID'))}
          {secret('clientSecret', t('Client secret'))}
          {field('scope', t('Scope'), t('Optional'))}
          {field('audience', t('Audience'), t('Optional'))}
        </>
      )}
    </div>
  )
}

function SecretField(props: { label: string; path: string; value: string; onValue: (value: string) => void }) {
  const { value, ...rest } = props
  const isStored = value === SECRET_SET
  return (
    <TextField
      {...rest}
      value={isStored ? '' : value}
      {...plain}
      required={!isStored}
      type="password"
      autocomplete="new-password"
      hint={isStored ? t('Leave empty to keep the current value') : undefined}
    />
  )
}

function Certificates({ draft, stored, change }: SecretPartProps) {
  const isStored = draft.key === SECRET_SET
  const field = fieldsOf(draft, change)
  const pem = { rows: 3, mono: true } as const
  return (
    <div class="grid gap-4 sm:grid-cols-2">
      <TextAreaField label={t('Client certificate (PEM)')} {...field('cert')} path="clientCertificate.cert" {...pem} />
      <TextAreaField
        label={t('Private key (PEM)')}
        path="clientCertificate.key"
        value={isStored ? '' : draft.key}
        onValue={(key) => change({ key: key === '' ? stored.key : key })}
        {...pem}
        hint={isStored ? t('Leave empty to keep the current value') : t('Stored encrypted')}
      />
      <div class="sm:col-span-2">
        <TextAreaField
          label={t('Trusted authorities (PEM)')}
          {...field('ca')}
          {...pem}
          hint={t('Trusted instead of the public authorities')}
        />
      </div>
    </div>
  )
}

/** Request options in the form of a monitor. */
export function useRequestOptions(
  draft: RequestDraft | null,
  onDraft: (draft: RequestDraft) => void,
  { type, monitorId, source, isMoved }: EditedMonitor,
) {
  const { api } = useOrganization()
  const path = { monitorId: source ?? '' }
  const { data } = useGet('monitor', '/api/v1/monitors/{monitorId}/request', { path, enabled: source !== undefined })
  const before = requestDraftOf(data ?? {})
  const isCopy = monitorId === undefined
  const stored = isCopy || isMoved ? withoutSecrets(before) : before
  const shown = draft === null ? stored : isMoved ? withoutSecrets(draft) : draft
  const notice = !hasSecrets(before)
    ? null
    : isCopy
      ? t('Passwords, tokens and private keys aren’t copied. Enter them again.')
      : isMoved
        ? t('The URL leads to another server. Enter the login again, or remove it.')
        : null
  const body = requestBodyOf(shown, type)
  const isShown = (source === undefined || data !== undefined) && requestFields[type] !== undefined
  return {
    field: isShown ? (
      <RequestOptionFields draft={shown} stored={stored} set={onDraft} type={type} notice={notice} />
    ) : null,
    /** For a test of the settings; undefined if all are at their defaults. */
    body,
    /** Whether the DNS server differs from the stored one. */
    hasOtherResolver: !isCopy && shown.resolver.trim() !== before.resolver,
    /** Saves the options if they were changed. */
    async save(id: string): Promise<void> {
      const isChanged = draft !== null || notice !== null || (isCopy && body !== undefined)
      if (!isShown || !isChanged) return
      const path = { monitorId: id }
      if (body !== undefined) await api.PUT('/api/v1/monitors/{monitorId}/request', { path, body })
      else if (!isCopy) await api.DELETE('/api/v1/monitors/{monitorId}/request', { path })
    },
  }
}
