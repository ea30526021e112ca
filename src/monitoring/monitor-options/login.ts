import type { MonitorOptions } from '../../contract/check-options.ts'
import { hostHeadersIn } from '../../lib/host.ts'
import { sendsOwnTexts } from '../monitor-types/mail-ports.ts'

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
  readonly requestHeaders?: Readonly<Record<string, string>> | null
  readonly host?: string | null
  readonly port?: number | null
  /** Of the request options. A login is kept with them in `request.ts`. */
  readonly resolver?: string | undefined
  readonly serverName?: string | undefined
}

/**
 * The options without the secrets that would reach another server. Secrets are write-only: a user who may change the address of a
 * monitor must not receive them that way.
 */
export function withoutMoved(options: MonitorOptions, before: Destination, after: Destination): MonitorOptions {
  const isOtherSite = isElsewhere(before.url, after.url) || siteOf(before) !== siteOf(after)
  const kept = isOtherSite ? withoutLogin(options) : options
  const isMoved = (['host', 'port', 'resolver', 'serverName'] as const).some((name) => before[name] !== after[name])
  return isMoved ? withoutSending(kept) : kept
}

/** The site that is asked for: a server, or a load balancer in front of several, has others that belong to somebody else. */
function siteOf({ url, requestHeaders }: Destination): string {
  const { protocol, host = '' } = URL.parse(url ?? '') ?? {}
  const given = hostHeadersIn(requestHeaders).map((name) => URL.parse(`${protocol}//${name}`)?.host ?? name)
  return given.length === 0 ? host : given.join()
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
  return dialogue !== undefined && sendsOwnTexts(dialogue) ? others : options
}
