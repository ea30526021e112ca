import { maskUrl, userInfoOf } from '../../lib/mask.ts'
import type { OidcSettings } from '../../outbound/oidc.ts'
import { type Role, roles } from '../../storage/schema/accounts.ts'
import type { Environment } from './read-files.ts'

/** The OpenID Connect provider, and the role of new users in the first organization. */
export interface OidcConfig extends OidcSettings {
  /** Undefined: no new users sign up through the provider. */
  readonly signupRole: Role | undefined
}

/** OWNER is excluded: only an owner can make another one. */
const signupRoles = roles.filter((role) => role !== 'OWNER').map((role) => role.toLowerCase())

/** Reads the PHAROS_OIDC_ variables. Adds errors to `problems`. */
export function readOidc(env: Environment, problems: string[]): OidcConfig | undefined {
  const value = (name: string): string | undefined => env[`PHAROS_OIDC_${name}`] || undefined
  const report = (name: string, message: string): void => void problems.push(`PHAROS_OIDC_${name}: ${message}`)
  const issuer = value('ISSUER')
  if (issuer === undefined) {
    const unused = ['CLIENT_ID', 'CLIENT_SECRET', 'NAME', 'SIGNUP'].find((name) => value(name) !== undefined)
    if (unused !== undefined) report(unused, 'has no effect without PHAROS_OIDC_ISSUER; set both or neither')
    return undefined
  }
  const url = URL.parse(issuer)
  const isSecure = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))
  // Requests cannot be sent to a URL with a user name or password.
  const isValid = url !== null && isSecure && userInfoOf(issuer) === undefined
  if (!isValid) {
    const rule = 'must be an https URL (http only for localhost) without user name and password'
    report('ISSUER', `${rule}, not "${maskUrl(issuer)}"`)
  }
  const clientId = value('CLIENT_ID')
  if (clientId === undefined) report('CLIENT_ID', 'required with PHAROS_OIDC_ISSUER')
  const signup = (value('SIGNUP') ?? 'none').toLowerCase()
  const signupRole = roles.find((role) => role.toLowerCase() === signup)
  if (signup !== 'none' && !signupRoles.includes(signup))
    report('SIGNUP', `must be one of none, ${signupRoles.join(', ')}; not "${signup}"`)
  if (!isValid || clientId === undefined) return undefined
  return { issuer, clientId, clientSecret: value('CLIENT_SECRET'), name: value('NAME') ?? url.host, signupRole }
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}
