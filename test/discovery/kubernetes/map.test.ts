import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ClusterObjects, mapObjects } from '../../../src/discovery/kubernetes/map.ts'
import { type ListName, readObjects } from '../../../src/discovery/kubernetes/read.ts'
import { gateway, ingress, route, rule, service } from './cluster.ts'

function mapped(objects: Readonly<Record<string, readonly object[]>>, all = false) {
  const empty = { ingresses: [], httproutes: [], gateways: [], services: [] }
  const unread: string[] = []
  const read = Object.entries({ ...empty, ...objects }).map(([name, items]) => [
    name,
    readObjects(name as ListName, items, unread),
  ])
  assert.deepEqual(unread, [])
  const { found, problems } = mapObjects(Object.fromEntries(read) as ClusterObjects, all)
  const monitors = found.map(({ key, fields }) => [key, fields?.url ?? `${fields?.host}:${fields?.port}`])
  return { found, problems, monitors }
}

test('an Ingress has a monitor for each host and path, over https where it has a certificate', () => {
  const spec = {
    tls: [{ hosts: ['shop.example.com', '*.tls.example.com'] }],
    rules: [
      rule('shop.example.com', '/', '/api', '/files(/|$)(.*)'),
      rule('a.tls.example.com', '/'),
      rule('plain.example.com', '/'),
      rule('*.example.com', '/'),
    ],
  }
  const annotations = { 'pharos.io/enabled': 'true', 'pharos.io/interval': '60', 'pharos.io/labels': 'team=shop' }
  const { monitors, found, problems } = mapped({ ingresses: [ingress('shop', spec, annotations)] })
  assert.deepEqual(problems, [
    'Ingress shop/shop: the host *.example.com is left out: it cannot be requested. Annotate an object that has an address of it',
  ])
  assert.deepEqual(monitors, [
    ['shop-example-com', 'https://shop.example.com/'],
    ['shop-example-com--api', 'https://shop.example.com/api'],
    ['a-tls-example-com', 'https://a.tls.example.com/'],
    ['plain-example-com', 'http://plain.example.com/'],
  ])
  assert.deepEqual(found[1]?.fields, {
    name: 'shop.example.com/api',
    type: 'HTTP',
    url: 'https://shop.example.com/api',
    intervalSeconds: 60,
    labels: { namespace: 'shop', team: 'shop' },
  })
})

test('annotations choose: a path, an address, none; without one nothing is used, with all everything else', () => {
  const spec = { rules: [rule('a.example.com', '/x', '/y')] }
  const ingresses = [
    ingress('path', spec, { 'pharos.io/enabled': 'true', 'pharos.io/path': 'health', 'pharos.io/name': 'Shop' }),
    ingress('address', spec, {
      'pharos.io/http': 'https://b.example.com/',
      'pharos.io/admin.http': 'https://b.example.com/?a',
    }),
    ingress('off', spec, { 'pharos.io/enabled': 'false', 'pharos.io/http': 'https://off.example.com' }),
    ingress('silent', { rules: [rule('silent.example.com', '/')] }, {}),
    ingress('challenge', { rules: [rule('silent.example.com', '/.well-known/acme-challenge/x')] }, {}),
    ingress('empty', { rules: [{}] }),
  ]
  const chosen = [
    ['a-example-com--health', 'http://a.example.com/health'],
    ['b-example-com', 'https://b.example.com/'],
    ['shop--address--admin', 'https://b.example.com/?a'],
  ]
  const { monitors, found, problems } = mapped({ ingresses })
  assert.deepEqual(monitors, chosen)
  assert.equal(found[0]?.fields?.name, 'Shop')
  assert.deepEqual(problems, [
    'Ingress shop/empty: has no host that can be requested; set pharos.io/http to an address',
  ])
  assert.deepEqual(mapped({ ingresses }, true).monitors, [
    ...chosen,
    ['silent-example-com', 'http://silent.example.com/'],
  ])
})

test('an HTTPRoute takes scheme and port from its listeners, and the redirect to https is no second monitor', () => {
  const http = { name: 'http', port: 80, protocol: 'HTTP' }
  const https = { name: 'https', port: 443, protocol: 'HTTPS', hostname: '*.example.com' }
  const internal = { name: 'internal', port: 8443, protocol: 'HTTPS', hostname: 'admin.example.com' }
  const gateways = [gateway('main', http, https, internal, { name: 'tcp', port: 5432, protocol: 'TCP' })]
  const parent = { name: 'main' }
  const rules = [{ matches: [{ path: { type: 'PathPrefix', value: '/' } }] }]
  const { monitors, problems } = mapped({
    gateways,
    ingresses: [ingress('old', { rules: [rule('shop.example.com', '/')] })],
    httproutes: [
      route('redirect', { hostnames: ['shop.example.com'], parentRefs: [{ ...parent, sectionName: 'http' }] }),
      route('shop', {
        hostnames: ['shop.example.com', '*.shop.example.com'],
        parentRefs: [{ ...parent, sectionName: 'https' }],
        rules,
      }),
      route('admin', { parentRefs: [{ ...parent, port: 8443 }] }),
      route('lost', { hostnames: ['lost.example.com'], parentRefs: [{ name: 'gone', namespace: 'infra' }] }),
    ],
  })
  assert.deepEqual(monitors, [
    ['shop-example-com', 'https://shop.example.com/'],
    ['admin-example-com--8443', 'https://admin.example.com:8443/'],
  ])
  assert.match(problems[0] ?? '', /^HTTPRoute shop\/shop: the host \*\.shop\.example\.com is left out/)
  assert.equal(problems[1], 'HTTPRoute shop/lost: its Gateway infra/gone was not found')
})

test('a Service with an annotation is reached by its name in the cluster', () => {
  const on = { 'pharos.io/enabled': 'true' }
  const web = [
    { name: 'metrics', port: 9090, protocol: 'TCP' },
    { name: 'https', port: 8443, protocol: 'TCP' },
  ]
  const services = [
    service('db', [{ port: 5432, protocol: 'TCP' }], on),
    service('web', web, { ...on, 'pharos.io/port': 'https', 'pharos.io/path': '/health' }),
    service('api', [{ port: 80, appProtocol: 'kubernetes.io/http' }], on),
    service('dns', [{ port: 53, protocol: 'UDP' }], on),
    service('silent', [{ port: 80 }], {}),
  ]
  const { monitors, problems } = mapped({ services }, true)
  assert.deepEqual(monitors, [
    ['shop--db', 'db.shop.svc:5432'],
    ['shop--web', 'https://web.shop.svc:8443/health'],
    ['shop--api', 'http://api.shop.svc/'],
  ])
  assert.deepEqual(problems, ['Service shop/dns: has no TCP port'])
})
