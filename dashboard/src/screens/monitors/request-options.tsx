import type { PublicSchemas } from '../../api/client.ts'
import { useGet } from '../../api/get.ts'
import { useOrganization } from '../../api/organization.tsx'
import { t } from '../../lib/i18n.ts'
import {
  hasSecrets,
  type RequestDraft,
  requestBodyOf,
  requestDraftOf,
  requestFields,
  withoutSecrets,
} from './request-draft.ts'
import { RequestOptionFields } from './request-fields.tsx'
import type { MonitorType } from './types.ts'

export interface RequestOptions {
  readonly field: preact.JSX.Element | null
  /** For a test of the settings; undefined if all are at their defaults. */
  readonly body: PublicSchemas['SetMonitorRequest'] | undefined
  /** Whether the DNS server differs from the stored one. */
  readonly hasOtherResolver: boolean
  /** Saves the options if they were changed. */
  save(monitorId: string): Promise<void>
}

/**
 * Request options in the form of a monitor. A copy begins with those of the monitor that it copies, without their secrets.
 * `isMoved`: the monitor gets the address of another server, for which the login must be entered again.
 */
export function useRequestOptions(
  draft: RequestDraft | null,
  onDraft: (draft: RequestDraft) => void,
  isMoved: boolean,
  type: MonitorType,
  monitorId?: string,
  copiedFrom?: string,
): RequestOptions {
  const { api } = useOrganization()
  const source = monitorId ?? copiedFrom
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
    body,
    hasOtherResolver: !isCopy && shown.resolver.trim() !== before.resolver,
    async save(id) {
      const isChanged = draft !== null || notice !== null || (isCopy && body !== undefined)
      if (!isShown || !isChanged) return
      const path = { monitorId: id }
      if (body !== undefined) await api.PUT('/api/v1/monitors/{monitorId}/request', { path, body })
      else if (!isCopy) await api.DELETE('/api/v1/monitors/{monitorId}/request', { path })
    },
  }
}
