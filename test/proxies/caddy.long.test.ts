import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { findProgram } from '../faults/needs.ts'
import { documentedConfig, testBehind } from './behind-proxy.ts'

testBehind(
  'caddy',
  ({ site, upstream, port }) => {
    const config = documentedConfig('Certificates for custom domains')
      .replaceAll('127.0.0.1:3000', upstream)
      // Its own authority instead of one on the Internet.
      .replace(
        '{\n',
        `{\n  admin off\n  local_certs\n  skip_install_trust\n  auto_https disable_redirects\n  https_port ${port}\n`,
      )
    writeFileSync(site.path('Caddyfile'), config)
    const child = site.spawn({
      command: findProgram('caddy') ?? '',
      args: ['run', '--config', site.path('Caddyfile'), '--adapter', 'caddyfile'],
      env: { XDG_DATA_HOME: site.path('data'), XDG_CONFIG_HOME: site.path('config') },
    })
    return { child, ca: () => readFileSync(site.path('data/caddy/pki/authorities/local/root.crt'), 'utf8') }
  },
  (scene) => {
    test('a name without a status page gets no certificate', async () => {
      const { ask } = scene()
      await assert.rejects(ask('/', { host: 'stranger.example' }), /alert|handshake/)
    })
  },
)
