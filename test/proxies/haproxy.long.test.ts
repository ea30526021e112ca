import { writeFileSync } from 'node:fs'
import { findProgram } from '../faults/needs.ts'
import { makeAuthority } from '../support/certificates.ts'
import { DOMAIN, documentedConfig, HOST, testBehind } from './behind-proxy.ts'

testBehind('haproxy', ({ site, upstream, port }) => {
  const authority = makeAuthority('Proxy tests')
  const { cert, key } = authority.issue({ hosts: [HOST, DOMAIN] })
  writeFileSync(site.path('pharos.pem'), `${cert}${key}`)
  const config = documentedConfig('HAProxy')
    .replace('bind :443', `bind 127.0.0.1:${port}`)
    .replace('/etc/haproxy/certs/', `${site.folder}/`)
    .replace('127.0.0.1:3000', upstream)
  writeFileSync(site.path('haproxy.cfg'), config)
  const args = ['-db', '-f', site.path('haproxy.cfg')]
  return { child: site.spawn({ command: findProgram('haproxy') ?? '', args }), ca: () => authority.cert }
})
