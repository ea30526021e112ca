import { test } from 'node:test'
import { readBetterStack } from '../../src/importers/betterstack/read.ts'
import { readGatus } from '../../src/importers/gatus/read.ts'
import { readHealthchecks } from '../../src/importers/healthchecks/read.ts'
import type { ImportResult } from '../../src/importers/result.ts'
import { readStatusCake } from '../../src/importers/statuscake/read.ts'
import { readStatuspage } from '../../src/importers/statuspage/read.ts'
import { readUptimeRobot } from '../../src/importers/uptimerobot/read.ts'
import { useApi } from '../support/api.ts'
import { forEachEngine } from '../support/engines.ts'
import { applyImport, fixturesOf } from './apply.ts'

const results: Readonly<Record<string, ImportResult>> = {
  'Better Stack': readBetterStack(fixturesOf('betterstack')),
  Gatus: readGatus(fixturesOf('gatus')),
  Healthchecks: readHealthchecks(fixturesOf('healthchecks')),
  StatusCake: readStatusCake(fixturesOf('statuscake')),
  Statuspage: readStatuspage(fixturesOf('statuspage')),
  'UptimeRobot, version 2': readUptimeRobot(fixturesOf('uptimerobot', 'v2')),
  'UptimeRobot, version 3': readUptimeRobot(fixturesOf('uptimerobot', 'v3')),
}

/** Of Gatus. */
const values = { API_TOKEN: 'a', PROBE_PASSWORD: 'b', SLACK_WEBHOOK_URL: 'https://hooks.slack.com/services/FAKE' }

forEachEngine('an import', (engine) => {
  const api = useApi(engine)
  for (const [i, [tool, result]] of Object.entries(results).entries()) {
    test(`from ${tool} is applied without faults, and a second plan has no changes`, async () => {
      const { client } = await api.tenant()
      // Custom domains are unique on an installation, and most tools have this one.
      const own = JSON.stringify(result).replaceAll('status.example.com', `status-${i}.example.com`)
      await applyImport(client, JSON.parse(own), tool === 'Gatus' ? values : {})
    })
  }
})
