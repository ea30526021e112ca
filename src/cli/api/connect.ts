import { Pharos } from '../../../clients/typescript/src/index.ts'
import { CommandError } from '../command.ts'

const LOCAL_SERVER = 'http://localhost:3000'
/** Fewer than the default of the client: somebody is waiting for an error. */
const MAX_RETRIES = 2

/** A client of the server that PHAROS_URL names, with the key of PHAROS_API_KEY. */
export function connect({
  PHAROS_URL: url = '',
  PHAROS_API_KEY: apiKey = '',
}: Readonly<Record<string, string | undefined>>): Pharos {
  if (apiKey.trim() === '') {
    throw new CommandError(
      'Set PHAROS_API_KEY to an API key. Create one in the dashboard (Settings, API keys) or with "pharos keys create"',
    )
  }
  try {
    return new Pharos({ url: url.trim() || LOCAL_SERVER, apiKey: apiKey.trim(), maxRetries: MAX_RETRIES })
  } catch (error) {
    if (/apiKey/.test((error as Error).message)) throw new CommandError('PHAROS_API_KEY is not an API key')
    throw new CommandError(`PHAROS_URL must be an address such as https://pharos.example.com, not "${url}"`)
  }
}
