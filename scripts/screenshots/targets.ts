import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer as createHttpsServer } from 'node:https'
import { createServer as createTcpServer, type Server } from 'node:net'
import { join } from 'node:path'

/** Names a folder with the hosts file and the certificate. */
export const STAGE_VARIABLE = 'PHAROS_SCREENSHOTS_STAGE'

export const hostNames = ['shop.example', 'api.shop.example', 'db-1.shop.example', 'hooks.shop.example']

const unavailable = '<h1>Service Unavailable</h1>\n<p>upstream connect error or disconnect before headers</p>'

export interface Targets extends AsyncDisposable {
  isCheckoutDown: boolean
}

/** The shop that is monitored: a website with a checkout that can fail and a slow search, and a database. */
export async function startTargets(folder: string): Promise<Targets> {
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  const site = createHttpsServer({ cert: read('cert.pem'), key: read('key.pem') }, ({ url = '' }, response) => {
    if (url === '/checkout' && targets.isCheckoutDown) response.writeHead(503).end(unavailable)
    else setTimeout(() => response.end('Welcome'), url === '/search' ? 180 : 15)
  })
  const database = createTcpServer((socket) => socket.on('error', () => socket.destroy()).end())
  await Promise.all([listening(site, 443), listening(database, 5432)])
  const targets: Targets = {
    isCheckoutDown: false,
    async [Symbol.asyncDispose]() {
      site.closeAllConnections()
      site.close()
      database.close()
    },
  }
  return targets
}

async function listening(server: Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
}
