import { Writable } from 'node:stream'
import { type ClientCommand, CommandError, UsageError } from '../command.ts'
import { LOCAL_SERVER } from '../environment.ts'
import { readInput } from '../input.ts'
import { clientOf } from './connect.ts'
import { readProfiles, saveProfiles } from './profiles.ts'

const DEFAULT_PROFILE = 'default'

export const loginCommand: ClientCommand = {
  name: 'login',
  summary: 'Save a server and an API key for the commands that use the API',
  options: {
    url: { value: 'URL', help: `The address of the server (default: PHAROS_URL or ${LOCAL_SERVER})` },
    profile: {
      value: 'NAME',
      help: `The name of the profile, which becomes the current one (default: ${DEFAULT_PROFILE})`,
    },
    'key-file': {
      value: 'FILE',
      help: 'Read the key from a file, - for standard input (default: ask on a terminal, otherwise read standard input)',
    },
  },
  notes: () => [
    'The key is checked, and saved in ~/.config/pharos/profiles.json, which only you can read.',
    'PHAROS_API_KEY overrides the profile. --profile and PHAROS_PROFILE choose another one.',
  ],
  examples: [
    'pharos login --url https://pharos.example.com',
    'printenv KEY | pharos login --url https://pharos.example.com',
    'pharos login --profile staging --url https://staging.example.com --key-file key.txt',
  ],
  async call(environment, { options }) {
    const { profile = DEFAULT_PROFILE, 'key-file': file } = options
    const url = (options.url ?? environment.PHAROS_URL?.trim()) || LOCAL_SERVER
    if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) throw new UsageError('--url must be an address')
    const apiKey = (file === undefined ? await askForKey() : readInput(file)).trim()
    if (apiKey === '') throw new CommandError('No key was given')
    const me = await clientOf({ url, apiKey }).me.get()
    const { profiles } = readProfiles(environment)
    const saved = saveProfiles(environment, { current: profile, profiles: { ...profiles, [profile]: { url, apiKey } } })
    const { organization, key } = me
    const text = `Logged in to ${organization.name} at ${url} with the key ${key?.name}.\nSaved as profile "${profile}" in ${saved}`
    return { text, json: { profile, url, ...me } }
  },
}

export const logoutCommand: ClientCommand = {
  name: 'logout',
  summary: 'Remove a saved server and API key',
  options: { profile: { value: 'NAME', help: 'The name of the profile (default: the current one)' } },
  async call(environment, { options }) {
    const { current, profiles } = readProfiles(environment)
    const name = options.profile ?? current
    const names = Object.keys(profiles)
    if (names.length === 0) throw new CommandError('No profile is saved; "pharos login" saves one')
    if (!names.includes(name)) throw new CommandError(`There is no profile "${name}" (known: ${names.join(', ')})`)
    const { [name]: _, ...others } = profiles
    saveProfiles(environment, {
      current: name === current ? (Object.keys(others)[0] ?? '') : current,
      profiles: others,
    })
    return { text: `Removed the profile "${name}". The key stays valid until it is revoked.`, json: { profile: name } }
  },
}

/** The key is not shown while it is typed or pasted. */
async function askForKey(): Promise<string> {
  if (!process.stdin.isTTY) return readInput('-')
  process.stderr.write('API key: ')
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const { createInterface } = await import('node:readline/promises')
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true })
  const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')))
  const key = await Promise.race([lines.question(''), ended])
  lines.close()
  process.stderr.write('\n')
  return key
}
