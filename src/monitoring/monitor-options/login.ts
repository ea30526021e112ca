import type { MonitorOptions } from '../../contract/check-options.ts'

/**
 * Whether what is sent to `after` reaches somebody other than the server at `before`: another host or port, or http instead of
 * https. https at the same host instead of http is not elsewhere.
 */
export function isElsewhere(before: string | null, after: string | null): boolean {
  const [old, now] = [parsed(before), parsed(after)]
  if (old?.origin === now?.origin) return false
  if (old === null || now === null) return true
  const isUpgraded = old.protocol === 'http:' && now.protocol === 'https:' && old.port === '' && now.port === ''
  return old.hostname !== now.hostname || !isUpgraded
}

function parsed(url: string | null): URL | null {
  return url === null ? null : URL.parse(url)
}

/**
 * The options without what signs in at the target. Secrets are write-only: a user who may change the address of a monitor must not
 * receive its login that way.
 */
export function withoutLogin(options: MonitorOptions): MonitorOptions {
  if (options.request === undefined) return options
  const { auth: _auth, clientCertificate: _certificate, ...request } = options.request
  const { request: _request, ...others } = options
  return Object.keys(request).length === 0 ? others : { ...others, request }
}
