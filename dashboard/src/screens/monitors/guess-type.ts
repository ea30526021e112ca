import type { PublicSchemas } from '../../api/client.ts'
import { type Draft, EXPIRY_WARNING_DAYS } from './draft.ts'

/** Types that can be guessed from the address. */
export const guessTypes = ['HTTP', 'PORT', 'PING', 'DNS', 'SSL', 'DOMAIN'] as const
export type GuessedType = (typeof guessTypes)[number]

const withPort = /^(\[[0-9a-f:.]+\]|[^\s/:]+):(\d{1,5})$/i
const ipv4 = /^\d{1,3}(\.\d{1,3}){3}$/
const ipv6 = /^[0-9a-f]*:[0-9a-f:.]+$/i

/** The most likely type for the typed address; null if it is incomplete. */
export function guessType(typed: string): GuessedType | null {
  const text = typed.trim()
  if (text === '' || /\s/.test(text)) return null
  if (/^https?:\/\//i.test(text)) return URL.parse(text)?.hostname ? 'HTTP' : null
  if (ipv6.test(text) && !withPort.test(text)) return 'PING'
  if (withPort.test(text)) return 'PORT'
  if (ipv4.test(text)) return 'PING'
  // A name with a dot is usually a website; "db-1" is an internal host.
  if (/[/.]/.test(text)) return text.endsWith('.') ? null : 'HTTP'
  return 'PING'
}

/** Monitor settings for the type and the typed address. */
export function settingsFor(type: GuessedType, typed: string): PublicSchemas['CreateMonitor'] {
  const text = typed.trim()
  const bare = text.replace(/^[a-z][a-z0-9+.-]*:\/\//i, '')
  const [, named, port] = withPort.exec(bare) ?? []
  const host = (named ?? bare.replace(/[/?#].*$/, '')).replace(/^\[|\]$/g, '')
  const name = (bare.replace(/[?#].*$/, '').replace(/\/$/, '') || text).slice(0, 120)
  const warning = { sslExpiryThresholdDays: EXPIRY_WARNING_DAYS }
  if (type === 'HTTP') return { name, type, url: bare === text ? `https://${text}` : text, ...warning }
  if (type === 'PING') return { name: host, type, host: host.replace(/:\d+$/, '') }
  if (type === 'PORT') return { name, type, host, port: port === undefined ? 443 : Number(port) }
  if (type === 'SSL') return { name: host, type, url: bare.replace(/[/?#].*$/, ''), ...warning }
  const target = { name: host, url: host.replace(/:\d+$/, '') }
  return type === 'DOMAIN' ? { ...target, type, ...warning } : { ...target, type }
}

/** Type and target as values of the form. */
export function targetOf(type: GuessedType, typed: string): Pick<Draft, 'type' | 'url' | 'host' | 'port'> {
  const { url, host, port } = settingsFor(type, typed)
  return { type, url: url ?? '', host: host ?? '', port: port ?? null }
}
