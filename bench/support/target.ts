/** A target for checks: answers over HTTP and HTTPS, at /json with 10 KB of JSON. Prints both addresses. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folder = mkdtempSync(join(tmpdir(), 'pharos-target-'))
const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1', '-days', '30']
const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
execFileSync('openssl', ['req', '-x509', ...curve, '-keyout', key, '-out', cert, ...subject], { stdio: 'ignore' })

const services = Array.from({ length: 108 }, (_, i) => ({
  name: `service-${i}`,
  status: 'ok',
  region: 'eu-central-1',
  version: '4.12.0',
  latencyMs: 12 + i,
}))
const health = JSON.stringify({ services, db: { status: 'ok' } })

const answer: RequestListener = ({ url }, response) => {
  if (url === '/json') response.setHeader('content-type', 'application/json').end(health)
  else response.end('ok')
}
const plain = createServer(answer)
const secure = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }, answer)
rmSync(folder, { recursive: true })
plain.listen(0, '127.0.0.1', 4096, () => {
  secure.listen(0, '127.0.0.1', 4096, () => {
    const [a, b] = [plain, secure].map((server) => (server.address() as AddressInfo).port)
    process.stdout.write(`http://127.0.0.1:${a}/ https://127.0.0.1:${b}/\n`)
  })
})
