import type { AddressInfo } from 'node:net'
import { http } from '../../lib/http.ts'
import { CannotListen } from '../listen.ts'
import type { Metrics } from './metrics.ts'

/** Serves /metrics on its own address, so that it is public only if the operator chooses so. */
export async function startMetricsListener(
  { host, port }: { readonly host: string; readonly port: number },
  { registry }: Metrics,
  undo: (() => unknown)[],
): Promise<string> {
  const server = http.createServer((request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    // An error in a collector must not end the process.
    registry.metrics().then(
      (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
      () => response.writeHead(500).end(),
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      reject(new CannotListen(`PHAROS_METRICS_LISTEN: cannot listen on ${host}:${port}: ${error.message}`))
    })
    server.listen(port, host, resolve)
  })
  undo.push(() => new Promise((resolve) => server.close(resolve)))
  undo.push(() => server.closeAllConnections())
  return `http://${host}:${(server.address() as AddressInfo).port}/metrics`
}
