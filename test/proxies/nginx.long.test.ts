import { writeFileSync } from 'node:fs'
import { findProgram } from '../faults/needs.ts'
import { makeAuthority } from '../support/certificates.ts'
import { DOMAIN, documentedConfig, HOST, testBehind } from './behind-proxy.ts'

testBehind('nginx', ({ site, upstream, port }) => {
  const authority = makeAuthority('Proxy tests')
  const { cert, key } = authority.issue({ hosts: [HOST, DOMAIN] })
  writeFileSync(site.path('pharos.pem'), cert)
  writeFileSync(site.path('pharos.key'), key)
  const server = documentedConfig('nginx')
    .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replaceAll('/etc/ssl/', `${site.folder}/`)
    .replace('127.0.0.1:3000', upstream)
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${site.path(name)};`,
  )
  const lines = [
    'daemon off;',
    'master_process off;',
    `pid ${site.path('nginx.pid')};`,
    'error_log stderr;',
    'events {}',
    'http {',
    'access_log off;',
    ...paths,
    server,
    '}',
  ]
  writeFileSync(site.path('nginx.conf'), `${lines.join('\n')}\n`)
  const args = ['-p', site.folder, '-c', site.path('nginx.conf')]
  return { child: site.spawn({ command: findProgram('nginx') ?? '', args }), ca: () => authority.cert }
})
