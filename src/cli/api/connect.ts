import { Pharos } from '../../../clients/typescript/src/index.ts'
import { maskUrl } from '../../lib/mask.ts'
import type { Environment } from '../../server/config/read-files.ts'
import { CommandError, type Option } from '../command.ts'
import { LOCAL_SERVER } from '../environment.ts'
import { version } from '../version.ts'
import { findProfile, type Profile, readProfiles } from './profiles.ts'

/** Fewer than the default of the client: somebody is waiting for an error. */
const MAX_RETRIES = 2

export const connectionOptions: Readonly<Record<string, Option>> = {
  profile: { value: 'NAME', help: 'Use the server and key of a profile ("pharos login")' },
}

/**
 * A client of a server: that of the named profile, of PHAROS_URL and PHAROS_API_KEY, or of the profile that was used to log in
 * last. The key of a profile is never sent to another server.
 */
export function connect(environment: Environment, profileName?: string): Pharos {
  return clientOf(connectionOf(environment, profileName))
}

/** A server and a key, and the profile that they are from. */
interface Connection extends Profile {
  readonly profile?: string
}

export function connectionOf(environment: Environment, profileName?: string): Connection {
  const { PHAROS_URL: url = '', PHAROS_API_KEY: key = '', PHAROS_PROFILE: preferred } = environment
  if (profileName !== undefined) return { ...findProfile(environment, profileName), profile: profileName }
  if (key.trim() !== '') return { url: url.trim() || LOCAL_SERVER, apiKey: key.trim() }
  const profile = findProfile(environment, preferred || undefined)
  if (profile === undefined || (url.trim() !== '' && !isSameServer(url, profile.url))) {
    throw new CommandError(
      'PHAROS_API_KEY is not set. Create an API key in the dashboard (Settings, API keys) or with "pharos keys create", ' +
        'and set the variable or run "pharos login"',
    )
  }
  return { ...profile, profile: preferred || readProfiles(environment).current }
}

function isSameServer(a: string, b: string): boolean {
  return URL.parse(a.trim())?.href === URL.parse(b)?.href
}

export function clientOf({ url, apiKey }: Profile): Pharos {
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new CommandError('PHAROS_API_KEY is not an API key: it contains spaces or special characters')
  }
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
    throw new CommandError(`PHAROS_URL must be an address such as https://pharos.example.com, not "${maskUrl(url)}"`)
  }
  return new Pharos({ url, apiKey, maxRetries: MAX_RETRIES, headers: { 'user-agent': `pharos-cli/${version()}` } })
}
