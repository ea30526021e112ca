import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Compile } from 'typebox/schema'
import { parse, parseAllDocuments } from 'yaml'
import { readConfig } from '../../../src/server/config/config.ts'
import { unknownVariables } from '../../../src/server/config/unknown-variables.ts'
import { findProgram } from '../../faults/needs.ts'
import { skipWithout } from '../../support/programs.ts'
import { renderChart } from './render.ts'

const chart = join(import.meta.dirname, '../../../deploy/helm/pharos')
const skip = skipWithout(findProgram('caddy') !== undefined, 'caddy')

// biome-ignore lint/suspicious/noExplicitAny: what Kubernetes would read, looked at field by field
type Resource = any

const read = (path: string) => parse(readFileSync(join(chart, path), 'utf8'))

/** What `helm template shop` renders with these values: by kind, and what has a name of its own by kind and name. */
async function render(values: object): Promise<Map<string, Resource>> {
  const { name: Name, version: Version, appVersion: AppVersion } = read('Chart.yaml')
  const data = {
    Values: { ...read('values.yaml'), baseUrl: 'https://pharos.example.net', ...values },
    Chart: { Name, Version, AppVersion },
    Release: { Name: 'shop', Namespace: 'monitoring', Service: 'Helm' },
  }
  const resources = parseAllDocuments(await renderChart(chart, data)).flatMap((document) => {
    assert.deepEqual(document.errors, [])
    return document.toJS() ?? []
  })
  for (const { apiVersion, metadata } of resources) {
    assert.ok(apiVersion)
    assert.match(metadata.name, /^(monitoring-)?shop-pharos(-test|-metrics|-discovery)?$/)
    assert.equal(metadata.labels['app.kubernetes.io/instance'], 'shop')
  }
  return new Map(
    resources.map((resource: Resource) => {
      const [, part] = /-(metrics|discovery)$/.exec(resource.metadata.name) ?? []
      return [part === undefined ? resource.kind : `${resource.kind} ${part}`, resource]
    }),
  )
}

/** The pod template, whose parts fit together and to the service. */
function assertPod(rendered: Map<string, Resource>, kind: string): Resource {
  const { template, selector } = rendered.get(kind).spec
  const { spec, metadata } = template
  const [container] = spec.containers
  for (const labels of [selector.matchLabels, rendered.get('Service').spec.selector])
    for (const [name, value] of Object.entries(labels)) assert.equal(metadata.labels[name], value)
  const claims = rendered.get(kind).spec.volumeClaimTemplates ?? []
  const volumes = [
    ...spec.volumes.map(({ name }: Resource) => name),
    ...claims.map((each: Resource) => each.metadata.name),
  ]
  assert.deepEqual(container.volumeMounts.map(({ name }: Resource) => name).sort(), volumes.sort())
  for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'])
    assert.equal(container[probe].httpGet.port, container.ports[0].name)
  assert.equal(rendered.get('Service').spec.ports[0].targetPort, container.ports[0].name)
  assert.equal(spec.enableServiceLinks, false)
  assert.ok(spec.terminationGracePeriodSeconds >= 60)
  assert.deepEqual(container.securityContext, {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  })
  const env = environmentOf(container)
  assert.deepEqual(unknownVariables(env), [])
  readConfig(Object.fromEntries(Object.entries(env).filter(([name]) => !name.endsWith('_FILE'))))
  return spec
}

function environmentOf(container: Resource): Record<string, string> {
  for (const { value } of container.env) assert.equal(typeof value, 'string')
  return Object.fromEntries(container.env.map(({ name, value }: Resource) => [name, value]))
}

test('without a secret the chart is one replica with SQLite on a volume', { skip }, async () => {
  const rendered = await render({})
  assert.deepEqual([...rendered.keys()].sort(), ['Pod', 'Service', 'StatefulSet'])
  assertPod(rendered, 'StatefulSet')
  const { replicas, serviceName, volumeClaimTemplates } = rendered.get('StatefulSet').spec
  assert.deepEqual([replicas, serviceName], [1, 'shop-pharos'])
  assert.deepEqual(volumeClaimTemplates[0].spec.resources, { requests: { storage: '10Gi' } })
})

test('with a secret it is a spread deployment with PostgreSQL and a disruption budget', { skip }, async () => {
  const rendered = await render({ existingSecret: 'pharos', trustProxy: '10.0.0.0/8' })
  assert.deepEqual([...rendered.keys()].sort(), ['Deployment', 'Pod', 'PodDisruptionBudget', 'Service'])
  const spec = assertPod(rendered, 'Deployment')
  assert.equal(rendered.get('Deployment').spec.replicas, 3)
  assert.deepEqual(rendered.get('PodDisruptionBudget').spec.selector, rendered.get('Deployment').spec.selector)
  const env = environmentOf(spec.containers[0])
  const mount = spec.containers[0].volumeMounts.find(({ name }: Resource) => name === 'secrets').mountPath
  assert.deepEqual(
    [env.DATABASE_URL_FILE, env.PHAROS_SECRET_KEY_FILE],
    [`${mount}/database-url`, `${mount}/secret-key`],
  )
  for (const { labelSelector } of spec.topologySpreadConstraints)
    assert.deepEqual(labelSelector, rendered.get('Deployment').spec.selector)
  assert.ok(spec.terminationGracePeriodSeconds >= Number(env.PHAROS_DRAIN_SECONDS) + 30)
})

test('numbers and switches of `env` become the text that was written', { skip }, async () => {
  const env = { PHAROS_RATE_LIMIT: 1_000_000, PHAROS_POWERED_BY: false, PHAROS_CONFIRM_DELAYS: '1,3' }
  const [container] = assertPod(await render({ env }), 'StatefulSet').containers
  const { PHAROS_BASE_URL: _, ...rendered } = environmentOf(container)
  assert.deepEqual(rendered, { PHAROS_RATE_LIMIT: '1000000', PHAROS_POWERED_BY: 'false', PHAROS_CONFIRM_DELAYS: '1,3' })
})

test('the ingress leads the public host and the custom domains to the service', { skip }, async () => {
  const ingress = {
    ...read('values.yaml').ingress,
    enabled: true,
    extraHosts: ['status.example.com'],
    tlsSecret: 'tls',
  }
  const rendered = await render({ ingress, baseUrl: 'https://pharos.example.net:8443' })
  const { rules, tls } = rendered.get('Ingress').spec
  const hosts = ['pharos.example.net', 'status.example.com']
  assert.deepEqual(tls, [{ secretName: 'tls', hosts }])
  assert.deepEqual(
    rules.map(({ host }: Resource) => host),
    hosts,
  )
  for (const { http } of rules)
    assert.deepEqual(http.paths[0].backend.service, { name: 'shop-pharos', port: { name: 'http' } })
  const [check] = rendered.get('Pod').spec.containers
  const port = String(rendered.get('Service').spec.ports[0].port)
  assert.deepEqual([check.args, environmentOf(check)], [['healthcheck'], { HOST: 'shop-pharos', PORT: port }])
})

const defaults = (part: string, values: object) => ({ [part]: { ...read('values.yaml')[part], ...values } })

test('further volumes are mounted, for example a private authority', { skip }, async () => {
  const values = {
    extraVolumes: [{ name: 'ca', configMap: { name: 'company-ca' } }],
    extraVolumeMounts: [{ name: 'ca', mountPath: '/etc/company-ca', readOnly: true }],
    env: { NODE_EXTRA_CA_CERTS: '/etc/company-ca/ca.pem' },
  }
  for (const kind of ['StatefulSet', 'Deployment']) {
    const rendered = await render({ ...values, existingSecret: kind === 'Deployment' ? 'pharos' : '' })
    const { volumes, containers } = assertPod(rendered, kind)
    assert.deepEqual(volumes.at(-1), values.extraVolumes[0])
    assert.deepEqual(containers[0].volumeMounts.at(-1), values.extraVolumeMounts[0])
  }
})

test('metrics have a port and a service of their own, which the ServiceMonitor selects', { skip }, async () => {
  const rendered = await render(
    defaults('metrics', {
      enabled: true,
      serviceMonitor: { enabled: true, interval: '15s', labels: { release: 'kps' } },
    }),
  )
  const [container] = assertPod(rendered, 'StatefulSet').containers
  const { port } = readConfig(environmentOf(container)).metrics ?? {}
  assert.deepEqual(container.ports[1], { name: 'metrics', containerPort: port })
  assert.equal(rendered.get('Service').spec.ports.length, 1, 'the service of the pages may be public')
  const service = rendered.get('Service metrics')
  assert.deepEqual(service.spec.ports, [{ name: 'metrics', port, targetPort: 'metrics' }])
  assert.deepEqual(service.spec.selector, rendered.get('Service').spec.selector)
  const { metadata, spec } = rendered.get('ServiceMonitor')
  assert.equal(metadata.labels.release, 'kps')
  assert.deepEqual(spec.endpoints, [{ port: 'metrics', path: '/metrics', interval: '15s' }])
  const isSelected = ({ labels }: Resource) =>
    Object.entries(spec.selector.matchLabels).every(([name, value]) => labels[name] === value)
  assert.deepEqual([isSelected(service.metadata), isSelected(rendered.get('Service').metadata)], [true, false])
  assert.ok(!(await render(defaults('metrics', { enabled: true }))).has('ServiceMonitor'))
})

test('the network policy admits the named peers, the release itself and readers of metrics', { skip }, async () => {
  const open = (await render(defaults('networkPolicy', { enabled: true }))).get('NetworkPolicy').spec
  const ofRelease = [{ podSelector: { matchLabels: { 'app.kubernetes.io/instance': 'shop' } } }]
  const http = [{ port: 'http' }]
  assert.deepEqual(open.policyTypes, ['Ingress'])
  assert.deepEqual(open.ingress, [{ ports: http }, { ports: http, from: ofRelease }])
  const from = [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress-nginx' } } }]
  const values = { ...defaults('networkPolicy', { enabled: true, from }), ...defaults('metrics', { enabled: true }) }
  const rendered = await render(values)
  const { ingress, podSelector } = rendered.get('NetworkPolicy').spec
  assert.deepEqual(podSelector, rendered.get('StatefulSet').spec.selector)
  assert.deepEqual(ingress, [
    { ports: http, from },
    { ports: http, from: ofRelease },
    { ports: [{ port: 'metrics' }], from: [{ podSelector: {} }] },
  ])
})

test('discovery is a deployment with the rights that it needs, and no pod of the service', { skip }, async () => {
  const rendered = await render(defaults('discovery', { enabled: true, existingSecret: 'discovery', all: true }))
  const { template, selector } = rendered.get('Deployment discovery').spec
  const [container] = template.spec.containers
  assert.deepEqual(container.args, ['discover', 'kubernetes', '--watch', '--apply', '--all'])
  const [url, key] = container.env
  assert.deepEqual(url, { name: 'PHAROS_URL', value: 'http://shop-pharos:80' })
  assert.deepEqual(key.valueFrom.secretKeyRef, { name: 'discovery', key: 'api-key' })
  for (const [name, value] of Object.entries(selector.matchLabels)) assert.equal(template.metadata.labels[name], value)
  assert.notEqual(
    template.metadata.labels['app.kubernetes.io/name'],
    rendered.get('Service').spec.selector['app.kubernetes.io/name'],
  )
  assert.equal(template.spec.serviceAccountName, rendered.get('ServiceAccount discovery').metadata.name)
  const { roleRef, subjects } = rendered.get('ClusterRoleBinding discovery')
  assert.equal(roleRef.name, rendered.get('ClusterRole discovery').metadata.name)
  assert.equal(roleRef.name, 'monitoring-shop-pharos-discovery')
  assert.deepEqual(subjects, [{ kind: 'ServiceAccount', name: 'shop-pharos-discovery', namespace: 'monitoring' }])
  const documented = readFileSync(join(chart, '../../../docs/discovery.md'), 'utf8')
  for (const rule of rendered.get('ClusterRole discovery').rules)
    assert.ok(documented.includes(`resources: [${rule.resources.join(', ')}], verbs: [${rule.verbs.join(', ')}]`))
})

test('discovery of one namespace has rights in that namespace only', { skip }, async () => {
  const given = { enabled: true, existingSecret: 'discovery', namespace: 'web', source: 'web-cluster', grace: '7d' }
  const rendered = await render(defaults('discovery', given))
  assert.ok(!rendered.has('ClusterRole discovery') && !rendered.has('ClusterRoleBinding discovery'))
  const [role, binding] = [rendered.get('Role discovery'), rendered.get('RoleBinding discovery')]
  assert.deepEqual([role.metadata.namespace, binding.metadata.namespace], ['web', 'web'])
  assert.deepEqual([binding.roleRef.kind, binding.roleRef.name], ['Role', role.metadata.name])
  const { args } = rendered.get('Deployment discovery').spec.template.spec.containers[0]
  assert.deepEqual(args.slice(4), ['--namespace=web', '--source=web-cluster', '--grace=7d'])
})

test('the schema accepts the values of the chart with a public address, and no others', () => {
  const schema = Compile(JSON.parse(readFileSync(join(chart, 'values.schema.json'), 'utf8')))
  const values = { ...read('values.yaml'), baseUrl: 'https://pharos.example.net' }
  assert.equal(schema.Check(values), true)
  const discovery = { ...values.discovery, enabled: true }
  assert.equal(schema.Check({ ...values, discovery: { ...discovery, existingSecret: 'discovery' } }), true)
  assert.equal(schema.Check({ ...values, discovery }), false, 'discovery without a key')
  assert.equal(schema.Check({ ...values, metrics: { ...values.metrics, port: 80 } }), false, 'no right to listen there')
  for (const wrong of [{ baseUrl: '' }, { baseUrl: 'https://a.example/path' }, { replicas: 0 }, { typo: 1 }])
    assert.ok(!schema.Check({ ...values, ...wrong }), JSON.stringify(wrong))
})
