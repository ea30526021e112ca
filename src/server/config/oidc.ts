import type { OidcSettings } from '../../outbound/oidc.ts'
import { type Role, roles } from '../../storage/schema-accounts.ts'

/** The provider whose accounts open ours, and the role that whoever is new gets in the first organization. */
export interface OidcConfig extends OidcSettings {
  /** Undefined where nobody new comes in this way. */
  readonly signupRole: Role | undefined
}

type Environment = Readonly<Record<string, string | undefined>>

/** Whoever owns the installation is named by an owner, and by nobody elsewhere. */
const offered = roles.filter((role) => role !== 'OWNER').map((role) => role.toLowerCase())

/** The part of the configuration that begins with PHAROS_OIDC_; what is wrong is added to the problems. */
export function readOidc(env: Environment, problems: string[]): OidcConfig | undefined {
  const value = (name: string): string | undefined => env[`PHAROS_OIDC_${name}`] || undefined
  const tell = (name: string, message: string): void => void problems.push(`PHAROS_OIDC_${name}: ${message}`)
  const issuer = value('ISSUER')
  if (issuer === undefined) {
    const stray = ['CLIENT_ID', 'CLIENT_SECRET', 'NAME', 'SIGNUP'].find((name) => value(name) !== undefined)
    if (stray !== undefined) tell(stray, 'has no effect without PHAROS_OIDC_ISSUER; set both, or neither')
    return undefined
  }
  const url = URL.parse(issuer)
  const isSound = url !== null && (url.protocol === 'https:' || (url.protocol === 'http:' && isHere(url.hostname)))
  if (!isSound) tell('ISSUER', `"${issuer}" is not an https address (http is for this machine alone)`)
  const clientId = value('CLIENT_ID')
  if (clientId === undefined) tell('CLIENT_ID', 'must be set with PHAROS_OIDC_ISSUER')
  const wish = (value('SIGNUP') ?? 'none').toLowerCase()
  const signupRole = roles.find((role) => role.toLowerCase() === wish)
  if (wish !== 'none' && !offered.includes(wish)) tell('SIGNUP', `"${wish}" is none of none, ${offered.join(', ')}`)
  if (!isSound || clientId === undefined) return undefined
  return { issuer, clientId, clientSecret: value('CLIENT_SECRET'), name: value('NAME') ?? url.host, signupRole }
}

function isHere(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}
