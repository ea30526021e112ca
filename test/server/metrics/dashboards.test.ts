import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse, stringify } from 'yaml'
import { metricsEnv } from '../../monitoring/checks/faults.ts'
import { skipWithout } from '../../support/programs.ts'
import { startTestServer } from '../../support/server.ts'

const deploy = join(import.meta.dirname, '../../../deploy')
const rulesFile = join(deploy, 'prometheus/pharos-rules.yaml')
const skip = skipWithout(spawnSync('promtool', ['--version']).error === undefined, 'promtool (Debian: prometheus)')

interface Panel {
  readonly title: string
  readonly targets: readonly { readonly expr: string }[]
}

/** The queries of a dashboard, with its variables set to all, by title of the panel. */
function queriesOf(file: string): ReadonlyMap<string, readonly string[]> {
  const { panels } = JSON.parse(readFileSync(join(deploy, 'grafana', file), 'utf8')) as { panels: readonly Panel[] }
  return new Map(
    panels.map(({ title, targets }) => [
      title,
      targets.map(({ expr }) => expr.replaceAll(/\$(type|monitor|instance)/g, '.*')),
    ]),
  )
}

const [ofMonitors, ofService] = [queriesOf('pharos.json'), queriesOf('pharos-service.json')]
const rules: readonly { readonly alert: string; readonly expr: string }[] = parse(readFileSync(rulesFile, 'utf8'))
  .groups[0].rules

function promtool(command: 'check' | 'test', document: object): void {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-rules-'))
  try {
    const file = join(folder, 'rules.yaml')
    writeFileSync(file, stringify(document))
    const { status, stdout, stderr } = spawnSync('promtool', [command, 'rules', file], { encoding: 'utf8' })
    assert.equal(status, 0, `${stdout}${stderr}`)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test('the alert rules and the queries of the dashboards are valid', { skip }, () => {
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'rules', rulesFile], { encoding: 'utf8' })
  assert.equal(status, 0, `${stdout}${stderr}`)
  const recorded = [...ofMonitors.values(), ...ofService.values()].flat()
  assert.ok(recorded.length > 20)
  promtool('check', { groups: [{ name: 'a', rules: recorded.map((expr, i) => ({ record: `query_${i}`, expr })) }] })
})

test('the alert rules and the dashboards use metrics that exist', async () => {
  await using server = await startTestServer('sqlite', { env: metricsEnv })
  await server.client().post('/monitors', { name: 'Job', type: 'CRON' })
  const service = await (await fetch(server.running.metricsUrl as string)).text()
  const { body: monitors } = await server.client().get('/metrics/monitors')
  for (const [text, queries] of [
    [monitors, [...ofMonitors.values()].flat()],
    [service, [...[...ofService.values()].flat(), ...rules.map(({ expr }) => expr)]],
  ] as const) {
    const known = new Set(Array.from(text.matchAll(/^# TYPE (\w+) /gm), ([, name]) => name))
    const used = queries
      .flatMap((query) => query.match(/\bpharos_\w+/g) ?? [])
      .map((name) => name.replace(/_bucket$/, ''))
    assert.deepEqual(
      [...new Set(used)].filter((name) => !known.has(name)),
      [],
    )
  }
})

test('the dashboard of monitors shows those that are down first, and paused ones last', { skip }, () => {
  const names = ['pending', 'up', 'degraded', 'down', 'paused']
  const ranks = [0, 1, 2, 3, -1]
  const queries = [...(ofMonitors.get('State') ?? []), ...(ofMonitors.get('State over time') ?? [])]
  assert.equal(queries.length, 2)
  promtool('test', {
    tests: [
      {
        interval: '1m',
        input_series: names.map((name, state) => ({
          series: `pharos_monitor_state{name="${name}"}`,
          values: `${state}`,
        })),
        promql_expr_test: queries.map((query) => ({
          // Results are compared without their order, and without the name of the metric.
          expr: `${query} + 0`,
          eval_time: '0m',
          exp_samples: names.map((name, i) => ({ labels: `{name="${name}"}`, value: ranks[i] })),
        })),
      },
    ],
  })
})

test('an alert is raised for a node that is not ready or late, and for contacts that fail', { skip }, () => {
  const series = (name: string, values: string) => ({ series: `${name}{instance="a"}`, values })
  const firing = (alertname: string, labels = {}) => ({
    alertname,
    eval_time: '20m',
    exp_alerts: [{ exp_labels: { alertname, ...labels } }],
  })
  const quiet = (alertname: string) => ({ alertname, eval_time: '20m', exp_alerts: [] })
  const of = { instance: 'a' }
  const tests = (isWell: boolean) => {
    const expectations = [
      ['PharosNotReady', { severity: 'critical', ...of }],
      ['PharosChecksWaiting', { severity: 'warning', ...of }],
      ['PharosChecksInconclusive', { severity: 'warning', ...of }],
      ['PharosContactsFailing', { severity: 'warning' }],
    ] as const
    return expectations.map(([name, labels]) => (isWell ? quiet(name) : firing(name, labels)))
  }
  const input = (isWell: boolean) => [
    series('pharos_ready', isWell ? '1x20' : '0x20'),
    series('pharos_checks_waiting', isWell ? '0x20' : '7x20'),
    series('pharos_checks_total', '0+100x20'),
    series('pharos_checks_inconclusive_total', isWell ? '0+10x20' : '0+20x20'),
    series('pharos_contacts_failing', isWell ? '0x20' : '1x20'),
  ]
  const withoutTexts = {
    groups: [{ name: 'a', rules: parse(readFileSync(rulesFile, 'utf8')).groups[0].rules.map(withoutAnnotations) }],
  }
  const folder = mkdtempSync(join(tmpdir(), 'pharos-rules-'))
  try {
    writeFileSync(join(folder, 'plain.yaml'), stringify(withoutTexts))
    promtool('test', {
      rule_files: [join(folder, 'plain.yaml')],
      tests: [true, false].map((isWell) => ({
        interval: '1m',
        input_series: input(isWell),
        alert_rule_test: tests(isWell),
      })),
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
})

function withoutAnnotations({ annotations: _, ...rule }: { readonly annotations: object }): object {
  return rule
}
