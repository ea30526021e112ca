import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readGatus } from '../../src/importers/gatus/read.ts'
import { readHealthchecks } from '../../src/importers/healthchecks/read.ts'
import { useApi } from '../support/api.ts'
import { forEachEngine } from '../support/engines.ts'
import { applyImport, fixture } from './apply.ts'
import { objectOf } from './expected.ts'

forEachEngine('an import', (engine) => {
  const api = useApi(engine)

  test('from Healthchecks is applied, and again without changes', async () => {
    const { client } = await api.tenant()
    await applyImport(
      client,
      readHealthchecks([fixture('healthchecks/checks.json'), fixture('healthchecks/channels.json')]),
    )
  })

  test('from Gatus is applied without what is not valid, and again without changes', async () => {
    const { client } = await api.tenant()
    const values = { API_TOKEN: 'a', PROBE_PASSWORD: 'b', SLACK_WEBHOOK_URL: 'https://hooks.slack.com/services/FAKE' }
    const result = readGatus([fixture('gatus/config.yaml')])
    await applyImport(client, result, values)
    const { outcome, reason } = objectOf(result, 'alerting provider', 'pagerduty')
    assert.deepEqual(
      [outcome, reason],
      ['NOT_SUPPORTED', 'Pharos does not accept it: routing key must be 32 letters and digits.'],
    )
  })
})
