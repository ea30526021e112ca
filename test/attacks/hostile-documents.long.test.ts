import { test } from 'node:test'
import { useApi } from '../support/api.ts'
import { forEachEngine } from '../support/engines.ts'
import { hostileDocuments, hostileHistories } from './hostile-documents.ts'
import { requireRefused } from './short-turns.ts'

forEachEngine('hostile documents of 16 MiB', (engine) => {
  const api = useApi(engine)

  test('are refused in short turns of the event loop', async () => {
    await requireRefused(api, '/configuration/plan', hostileDocuments())
    await requireRefused(api, '/configuration/history', hostileHistories())
  })
})
