import { Pharos } from '../../../clients/typescript/src/index.ts'
import { maskUrl } from '../../lib/mask.ts'
import { CommandError } from '../command.ts'
import { LOCAL_SERVER } from '../environment.ts'
import { version } from '../version.ts'

/** Fewer than the default of the client: somebody is waiting for an error. */
const MAX_RETRIES = 2

/** A client of the server that PHAROS_URL names, with the key of PHAROS_API_KEY. */
export function connect({
  PHAROS_URL: url = '',
  PHAROS_API_KEY: key = '',
}: Readonly<Record<string, string | undefined>>): Pharos {
  const apiKey = key.trim()
  if (apiKey === '') {
    throw new CommandError(
      'PHAROS_API_KEY is not set. Create an API key in the dashboard (Settings, API keys) or with "pharos keys create"',
    )
  }
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new CommandError('PHAROS_API_KEY is not an API key: it contains spaces or special characters')
  }
  const address = url.trim() || LOCAL_SERVER
  if (!/^https?:$/.test(URL.parse(address)?.protocol ?? '')) {
    throw new CommandError(`PHAROS_URL must be an address such as https://pharos.example.com, not "${maskUrl(url)}"`)
  }
  return new Pharos({
    url: address,
    apiKey,
    maxRetries: MAX_RETRIES,
    headers: { 'user-agent': `pharos-cli/${version()}` },
  })
}
