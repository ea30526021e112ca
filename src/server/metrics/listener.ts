import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CannotListen } from '../cannot-listen.ts'
import type { Metrics } from './metrics.ts'

/** Metrics have an address of their own, so that they are public only where the operator says so. */
export async function startMetricsListener(
  { host, port }: { readonly host: string; readonly port: number },
  { registry }: Metrics,
  undo: (() => unknown)[],
): Promise<string> {
  const server = createServer((request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    // Whatever goes wrong here, looking at the metrics must not be what ends the server.
    registry.metrics().then(
      (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
      () => response.writeHead(500).end(),
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      reject(new CannotListen(`PHAROS_METRICS_LISTEN: cannot listen on ${host}:${port} (${error.message})`))
    })
    server.listen(port, host, resolve)
  })
  undo.push(() => new Promise((resolve) => server.close(resolve)))
  undo.push(() => server.closeAllConnections())
  return `http://${host}:${(server.address() as AddressInfo).port}/metrics`
}
