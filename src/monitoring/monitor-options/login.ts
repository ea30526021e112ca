import type { MonitorOptions } from '../../contract/check-options.ts'

/**
 * Whether what is sent to `after` reaches somebody other than the server at `before`: another host or port, or http instead of
 * https. https at the same host instead of http is not elsewhere.
 */
export function isElsewhere(before: string | null | undefined, after: string | null | undefined): boolean {
  const [old, now] = [URL.parse(before ?? ''), URL.parse(after ?? '')]
  if (old?.origin === now?.origin) return false
  if (old === null || now === null) return true
  const isUpgraded = old.protocol === 'http:' && now.protocol === 'https:' && old.port === '' && now.port === ''
  return old.hostname !== now.hostname || !isUpgraded
}

/** What decides who receives what the options contain. */
interface Destination {
  readonly url?: string | null
  readonly host?: string | null
  readonly port?: number | null
  /** Of the request options. */
  readonly resolver?: string | undefined
}

/**
 * The options without the secrets that would reach another server. Secrets are write-only: a user who may change the address of a
 * monitor must not receive them that way.
 */
export function withoutMoved(options: MonitorOptions, before: Destination, after: Destination): MonitorOptions {
  const kept = isElsewhere(before.url, after.url) ? withoutLogin(options) : options
  const isMoved = before.host !== after.host || before.port !== after.port || before.resolver !== after.resolver
  return isMoved ? withoutSending(kept) : kept
}

/** Without what signs in at the URL. */
function withoutLogin(options: MonitorOptions): MonitorOptions {
  if (options.request === undefined) return options
  const { auth: _auth, clientCertificate: _certificate, ...request } = options.request
  const { request: _request, ...others } = options
  return Object.keys(request).length === 0 ? others : { ...others, request }
}

/** Without a dialogue that sends something, which may be a password. What presets send is known. */
function withoutSending(options: MonitorOptions): MonitorOptions {
  const { dialogue, ...others } = options
  const sends = dialogue?.steps?.some(({ send, sendHex }) => send !== undefined || sendHex !== undefined)
  return sends === true ? others : options
}
