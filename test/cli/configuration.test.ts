import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ConfigError, readConfig } from '../../src/server/config/config.ts'
import { assertStartFails } from '../support/pharos-process.ts'

const wrong: readonly (readonly [name: string, value: string, sentence: RegExp])[] = [
  ['PORT', '99999', /^PORT: must be a whole number from 0 to 65535, not "99999"$/],
  ['PORT', 'http', /^PORT: .*, not "http"$/],
  ['PORT', '', /^PORT: .*, not ""$/],
  ['HOST', ' ', /^HOST: must not be empty$/],
  ['PHAROS_BASE_URL', 'pharos.example', /^PHAROS_BASE_URL: must be an http or https URL, not "pharos.example"$/],
  ['PHAROS_BASE_URL', 'https://a/?b', /^PHAROS_BASE_URL: /],
  ['PHAROS_BASE_URL', 'https://:secret@a.example', /^PHAROS_BASE_URL: must be a URL without .* password/],
  ['PHAROS_BASE_URL', 'ftp://u@b:secret@a', /^PHAROS_BASE_URL: must be an http or https URL, not "ftp:\/\/\*\*\*@a"$/],
  ['PHAROS_SENTINELS', 'secret@a', /^PHAROS_SENTINELS: must be a list of host:port, not "\*\*\*@a"$/],
  ['PHAROS_DATA_DIR', '', /^PHAROS_DATA_DIR: must not be empty$/],
  ['DATABASE_URL', 'mysql://localhost', /^DATABASE_URL: must start with postgres:\/\/$/],
  ['PHAROS_DATABASE_POOL', '1', /^PHAROS_DATABASE_POOL: /],
  ['PHAROS_DRAIN_SECONDS', '301', /^PHAROS_DRAIN_SECONDS: must be a whole number from 0 to 300, not "301"$/],
  [
    'PHAROS_ROLES',
    'api,cook',
    /^PHAROS_ROLES: unknown role "cook"; use all, or a list of api, checker, sender, scheduler$/,
  ],
  ['PHAROS_ROLES', ',', /^PHAROS_ROLES: /],
  ['PHAROS_BOOTSTRAP_KEY', 'phr_short', /^PHAROS_BOOTSTRAP_KEY: must be phr_ followed by at least 20/],
  ['PHAROS_FIRST_USER_EMAIL', 'ada@example.com', /^PHAROS_FIRST_USER_PASSWORD: required with PHAROS_FIRST_USER_EMAIL$/],
  [
    'PHAROS_FIRST_USER_PASSWORD',
    'a long password',
    /^PHAROS_FIRST_USER_EMAIL: required with PHAROS_FIRST_USER_PASSWORD$/,
  ],
  ['PHAROS_RATE_LIMIT', '0', /^PHAROS_RATE_LIMIT: /],
  ['PHAROS_PRIVATE_TARGETS', '10.0.0.0/33', /^PHAROS_PRIVATE_TARGETS: .*"10.0.0.0\/33"/],
  ['PHAROS_PRIVATE_WEBHOOKS', 'maybe', /^PHAROS_PRIVATE_WEBHOOKS: .*"maybe"/],
  ['PHAROS_PRIVATE_SUBSCRIBERS', 'maybe', /^PHAROS_PRIVATE_SUBSCRIBERS: .*"maybe"/],
  ['PHAROS_POWERED_BY', 'maybe', /^PHAROS_POWERED_BY: .*"maybe"/],
  [
    'PHAROS_WEBHOOK_SCHEDULE',
    '5,soon',
    /^PHAROS_WEBHOOK_SCHEDULE: must be a list of seconds .*; "soon" is not a number$/,
  ],
  ['PHAROS_WEBHOOK_SCHEDULE', '', /^PHAROS_WEBHOOK_SCHEDULE: /],
  ['PHAROS_SMTP_URL', 'mail.example.com', /^PHAROS_SMTP_URL: must be a mail server URL such as smtp:/],
  ['PHAROS_SMTP_URL', 'smtp://mail.example.com', /^PHAROS_MAIL_FROM: required with PHAROS_SMTP_URL, such as/],
  ['PHAROS_MAIL_FROM', 'Pharos', /^PHAROS_MAIL_FROM: must be an e-mail address such as Pharos <pharos@example.com>$/],
  ['PHAROS_ALERT_WAIT', '61', /^PHAROS_ALERT_WAIT: must be a whole number from 0 to 60, not "61"$/],
  ['PHAROS_CONFIRM_DELAYS', '-1', /^PHAROS_CONFIRM_DELAYS: /],
  [
    'PHAROS_DNS_SERVERS',
    'dns.example',
    /^PHAROS_DNS_SERVERS: must be a list of IP addresses .*; "dns.example" is not one$/,
  ],
  ['PHAROS_RAW_RESULTS_DAYS', '0', /^PHAROS_RAW_RESULTS_DAYS: must be a whole number from 1 to 3650, not "0"$/],
  ['PHAROS_RAW_RESULTS_DAYS', '3651', /^PHAROS_RAW_RESULTS_DAYS: /],
  ['PHAROS_RDAP_BOOTSTRAP', 'nowhere', /^PHAROS_RDAP_BOOTSTRAP: /],
  ['PHAROS_OIDC_ISSUER', 'https://id.example', /^PHAROS_OIDC_CLIENT_ID: required with PHAROS_OIDC_ISSUER$/],
  ['PHAROS_OIDC_CLIENT_ID', 'pharos', /^PHAROS_OIDC_CLIENT_ID: has no effect without PHAROS_OIDC_ISSUER/],
  ['PHAROS_OIDC_CLIENT_SECRET', 'x', /^PHAROS_OIDC_CLIENT_SECRET: has no effect without PHAROS_OIDC_ISSUER/],
  ['PHAROS_OIDC_NAME', 'Acme ID', /^PHAROS_OIDC_NAME: has no effect without PHAROS_OIDC_ISSUER/],
  ['PHAROS_OIDC_SIGNUP', 'member', /^PHAROS_OIDC_SIGNUP: has no effect without PHAROS_OIDC_ISSUER/],
  ['PHAROS_OPEN_SIGNUP', 'yes', /^PHAROS_OPEN_SIGNUP: must be true or false, not "yes"$/],
  ['PHAROS_SIGNUP_PLAN', 'GOLD', /^PHAROS_SIGNUP_PLAN: unknown plan "GOLD"; use FREE, /],
  ['PHAROS_SECRET_KEY', 'c2hvcnQ=', /^PHAROS_SECRET_KEY: each key must be 32 bytes in base64; create one with/],
  ['PHAROS_TRUST_PROXY', 'proxy.example', /^PHAROS_TRUST_PROXY: .*; "proxy.example" is not one$/],
  ['PHAROS_TRUST_PROXY', '10.0.0.0/99', /^PHAROS_TRUST_PROXY: .*; "10.0.0.0\/99" is not one$/],
  ['PHAROS_DOMAIN_PROOF', 'off', /^PHAROS_DOMAIN_PROOF: must be auto or required, not "off"$/],
  [
    'PHAROS_HOST_HEADER',
    'x forwarded',
    /^PHAROS_HOST_HEADER: must be a header name such as x-forwarded-host, not "x forwarded"$/,
  ],
  ['PHAROS_HOST_HEADER', 'x-forwarded-host', /^PHAROS_HOST_HEADER: requires PHAROS_TRUST_PROXY/],
  ['PHAROS_METRICS_LISTEN', 'here', /^PHAROS_METRICS_LISTEN: must be host:port, not "here"$/],
  ['PHAROS_SELF_DOUBT', 'no', /^PHAROS_SELF_DOUBT: must be on or off, not "no"$/],
  ['PHAROS_SENTINELS', 'one.example', /^PHAROS_SENTINELS: must be a list of host:port, not "one.example"$/],
  ['PHAROS_LOG_LEVEL', 'loud', /^PHAROS_LOG_LEVEL: unknown level "loud"; use trace, /],
]

describe('an invalid setting prevents the start with a message that names it', () => {
  for (const [name, value, sentence] of wrong) {
    test(`${name}=${value}`, () => {
      assert.throws(
        () => readConfig({ [name]: value }),
        (error) => error instanceof ConfigError && sentence.test(error.message) && !error.message.includes('\n'),
      )
    })
  }

  test('the cases above cover every setting', () => {
    const names: string[] = []
    readConfig(new Proxy<Record<string, string>>({}, { get: (_, name) => void names.push(String(name)) }))
    const tried = new Set(wrong.map(([name]) => name))
    assert.deepEqual(
      [...new Set(names)].filter((name) => !tried.has(name.replace(/_FILE$/, ''))),
      [],
    )
  })

  test('several invalid settings are reported one per line, by a process of its own', () =>
    assertStartFails(
      { PORT: '-1', PHAROS_SIGNUP_PLAN: 'GOLD', PHAROS_PRIVATE_TARGETS: '1.2.3.4/x' },
      /^PORT/,
      /^PHAROS_PRIVATE_TARGETS/,
      /^PHAROS_SIGNUP_PLAN/,
    ))
})
