import { connect } from 'node:net'
import { cleanLine } from './clean-text.ts'
import { type ClientCommand, CommandError } from './command.ts'
import { localAddress } from './local-address.ts'

/** The server answers within 1.6 s, also if its database does not. */
const TIMEOUT_MS = 3_000

/** Reads HOST and PORT only and loads nothing of the server: containers run this every few seconds. */
export const healthcheckCommand: ClientCommand = {
  name: 'healthcheck',
  summary: 'Ask the local server whether it is ready; the exit code is 0 if it is, and 1 if not',
  notes: () => [
    'HOST and PORT name the server, as for "pharos start". For containers: HEALTHCHECK CMD ["pharos", "healthcheck"].',
  ],
  async call({ HOST, PORT }) {
    const url = localAddress(HOST, PORT)
    const address = URL.parse(url)
    if (address === null) throw new CommandError(`HOST and PORT are no address: ${url}`)
    const problem = await ask(address)
    if (problem === undefined) return { text: `Ready: ${url}`, json: { ready: true, url } }
    return { text: cleanLine(`Not ready: ${url}: ${problem}`), json: { ready: false, url, problem }, exitCode: 1 }
  },
}

/** Undefined if the server is ready. Over a plain socket: to load node:http takes more CPU time than all the rest. */
function ask({ hostname, port }: URL): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || 80 })
    let answer = ''
    socket.setEncoding('utf8').setTimeout(TIMEOUT_MS)
    socket.on('connect', () => socket.write('GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'))
    socket.on('data', (chunk) => (answer += chunk))
    socket.on('timeout', () => socket.destroy(new Error(`no answer within ${TIMEOUT_MS / 1_000} s`)))
    socket.on('error', ({ code, message }: NodeJS.ErrnoException) => resolve(code ?? message))
    socket.on('close', () => {
      const [head = '', body = ''] = answer.split('\r\n\r\n')
      resolve(/^HTTP\/1\.1 200 /.test(head) ? undefined : `${head.split('\r\n')[0]} ${body}`)
    })
  })
}
