import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mapContainers } from '../../../src/discovery/docker/map.ts'
import { compose, container } from './daemon.ts'

test('labels of a container become a monitor; containers without labels and one-off ones do not', () => {
  const { found, problems } = mapContainers(
    [
      container('blog', {
        'pharos.http': 'https://blog.example.com/health',
        'pharos.name': 'Blog',
        'pharos.interval': '1m',
        'pharos.timeout': '5',
        'pharos.labels': 'team=web, env=prod',
        'pharos.keyword': 'ok',
        'pharos.expected-status': '200,204',
        'pharos.verify-ssl': 'false',
      }),
      container('plain', {}),
      container('off', { 'pharos.http': 'https://off.example.com', 'pharos.enabled': 'false' }),
      container('shop-web-run-1', {
        ...compose('shop', 'web'),
        'com.docker.compose.oneoff': 'True',
        'pharos.http': '80',
      }),
    ],
    undefined,
  )
  assert.deepEqual(problems, [])
  assert.deepEqual(found, [
    {
      key: 'blog',
      fields: {
        name: 'Blog',
        type: 'KEYWORD',
        url: 'https://blog.example.com/health',
        keyword: 'ok',
        expectedStatus: [200, 204],
        verifySsl: false,
        intervalSeconds: 60,
        timeoutSeconds: 5,
        labels: { team: 'web', env: 'prod' },
      },
    },
  ])
})

test('replicas of a service are one monitor, and a container can have several by name', () => {
  const labels = {
    'pharos.http': '8080/health',
    'pharos.db.tcp': '5432',
    'pharos.interval': '60',
    'pharos.method': 'HEAD',
  }
  const { found, problems } = mapContainers(
    [2, 1, 3].map((n) => container(`shop-web-${n}`, { ...compose('shop', 'web', n), ...labels })),
    undefined,
  )
  assert.deepEqual(problems, [])
  assert.deepEqual(
    found.map(({ key, fields }) => [key, fields?.name, fields?.url ?? `${fields?.host}:${fields?.port}`]),
    [
      ['shop--web', 'shop web', 'http://web:8080/health'],
      ['shop--web--db', 'shop web db', 'web:5432'],
    ],
  )
  assert.deepEqual(
    found.map(({ fields }) => [fields?.intervalSeconds, fields?.method, fields?.labels]),
    [
      [60, 'HEAD', { project: 'shop', service: 'web' }],
      [60, undefined, { project: 'shop', service: 'web' }],
    ],
  )
})

test('with a host, ports are the published ones: replicas then differ, and a stopped one keeps its monitor', () => {
  const ports = (PublicPort: number) => ({ Ports: [{ IP: '0.0.0.0', PrivatePort: 80, PublicPort, Type: 'tcp' }] })
  const labels = (n: number) => ({ ...compose('shop', 'web', n), 'pharos.http': '80' })
  const { found, problems } = mapContainers(
    [
      container('shop-web-1', labels(1), ports(32_768)),
      container('shop-web-2', labels(2), ports(32_769)),
      container('shop-web-3', labels(3), { State: 'exited' }),
      container('other', { 'pharos.http': '81' }, ports(90)),
    ],
    'docker1.example.com',
  )
  assert.deepEqual(
    found.map(({ key, fields }) => [key, fields?.url]),
    [
      ['shop--web', 'http://docker1.example.com:32768/'],
      ['shop--web--2', 'http://docker1.example.com:32769/'],
      ['shop--web--3', undefined],
    ],
  )
  assert.deepEqual(problems, ['other: publishes no port for 81, which pharos.http needs with --host'])
})

test('a stopped container stays, and the labels of a running one win over those of an older task', () => {
  const swarm = { 'com.docker.swarm.service.name': 'shop_web' }
  const { found } = mapContainers(
    [
      container('db', { 'pharos.tcp': 'db.example.com:5432' }, { State: 'exited' }),
      container('shop_web.1.a', { ...swarm, 'pharos.http': 'https://shop.example.com/old' }, { State: 'exited' }),
      container('shop_web.1.b', { ...swarm, 'pharos.http': 'https://shop.example.com/new' }),
    ],
    undefined,
  )
  assert.deepEqual(
    found.map(({ key, fields }) => [key, fields?.url ?? fields?.host]),
    [
      ['shop-web', 'https://shop.example.com/new'],
      ['db', 'db.example.com'],
    ],
  )
})

test('wrong labels are reported, and the others are used', () => {
  const { found, problems } = mapContainers(
    [
      container('a', { 'pharos.http': 'https://a.example.com', 'pharos.intervall': '60', 'pharos.interval': '5' }),
      container('b', { 'pharos.http': 'https://user:secret@b.example.com' }),
      container('c', { 'pharos.http': 'ftp://c' }),
      container('d', { 'pharos.admin.interval': '60' }),
      container('e', { 'pharos.http': 'https://e.example.com', 'pharos.tcp': 'e:1', 'pharos.labels': 'Team' }),
    ],
    undefined,
  )
  assert.deepEqual(
    found.map(({ key }) => key),
    ['a', 'e'],
  )
  assert.deepEqual(problems, [
    'a: pharos.intervall is not known; did you mean pharos.interval?',
    'a: interval "5" is not a duration such as 60s or 5m, from 30 to 86400 seconds',
    'b: pharos.http: the address of b.example.com has a password, which everybody who sees labels can read; remove it',
    'c: pharos.http: "ftp://c" is not an address such as https://shop.example.com/health',
    'd: has pharos.admin.interval, but neither pharos.admin.http nor pharos.admin.tcp',
    'e: has both pharos.http and pharos.tcp; use pharos.NAME.tcp for a second monitor',
    'e: "Team" is not a label such as team=shop',
  ])
})
