import assert from 'node:assert/strict'
import { test } from 'node:test'
import { displayDetails } from '../../../src/cli/api/display.ts'
import { table } from '../../../src/cli/command.ts'

test('objects in objects are readable, and sentences are not joined with commas', () => {
  const schema = { properties: { phases: { type: 'object', additionalProperties: { type: 'object' } } } }
  const evidence = {
    firstFailure: { error: 'HTTP 503', fields: { status: '503' } },
    phases: { tlsMs: { typicalMs: 8, failedMs: 3012 } },
    summary: ['The certificate was replaced.', 'Nothing else changed.'],
    hosts: ['a.example', 'b.example'],
  }
  assert.deepEqual(displayDetails(evidence, schema).split('\n'), [
    'First failure:  Error: HTTP 503, Fields: (Status: 503)',
    'Phases:         tlsMs: (Typical: 8 ms, Failed: 3012 ms)',
    'Summary:        The certificate was replaced. Nothing else changed.',
    'Hosts:          a.example, b.example',
  ])
})

test('numbers have units, shares are percent rounded down, and the list that is the answer has no heading', () => {
  const schema = { properties: { data: { type: 'array', items: {} }, pagination: {} } } as const
  const answer = {
    lastResponseMs: 30,
    upMs: 7_500_000,
    uptime30d: 0.99999,
    data: [{ span: '24h', uptime: 1, p95Ms: 149 }],
    pagination: { limit: 25, offset: 0, total: 1 },
  }
  const lines = ['Last response:  30 ms', 'Up:             2 h 5 min', 'Uptime30d:      99.99%', '']
  const table = ['SPAN  UPTIME  P95', '24h   100%    149 ms']
  assert.deepEqual(displayDetails(answer, schema).split('\n'), [...lines, ...table])
  assert.equal(displayDetails({ until: null }, {}), 'None')
})

test('tables fit the width of the terminal: wide columns are cut, the last ones left out, and ids stay whole', () => {
  const headings = ['ID', 'NAME', 'TARGET', 'CAUSE']
  const id = 'mon_01a1f53129df7000a6873c551049253b'
  const row = [id, 'A monitor with a long name', 'https://shop.example/a/long/path', 'Timeout']
  for (const width of [110, 80, 72, 60, 50]) {
    const lines = table(headings, [row], width).split('\n')
    for (const line of lines) assert.ok(line.length <= width, `${width}: ${line}`)
    assert.match(lines[1] ?? '', new RegExp(`^${id}  A monit`))
  }
  const [heading, cells] = table(headings, [row], 80).split('\n')
  assert.match(heading ?? '', /^ID +NAME +TARGET +CAUSE$/)
  assert.match(cells ?? '', /… {2}https:\/\/.*… {2}Timeout$/)
  assert.match(table(headings, [row], 50), /^ID +NAME\n/)
})
