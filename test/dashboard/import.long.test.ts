import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fixture } from '../importers/apply.ts'
import { expectAccessible, useDashboard, withoutBrowser } from './dashboard.ts'

describe('import from another tool', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard()

  test('files are uploaded, reviewed, chosen and imported, and the next steps stay until they are done', async () => {
    const page = await dashboard.open()
    await page.goto(dashboard.at('/monitors'))
    await page.getByRole('link', { name: 'Import from another tool' }).click()
    await page.getByRole('heading', { name: 'Import' }).waitFor()
    await expectAccessible(page, 'import')
    await page.getByLabel('Tool').selectOption('Gatus')
    await page.getByRole('button', { name: 'Upload' }).click()
    await page.getByText('Required', { exact: true }).waitFor()

    const wrong = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from(': : not yaml [') }
    await page.getByLabel('Files').setInputFiles(wrong)
    await page.getByRole('button', { name: 'Upload' }).click()
    await page.locator('input[type="file"][aria-invalid="true"]').waitFor()

    const { name, bytes } = fixture('gatus/config.yaml')
    await page.getByLabel('Files').setInputFiles({ name, mimeType: 'application/yaml', buffer: Buffer.from(bytes) })
    await page.getByRole('button', { name: 'Upload' }).click()
    await page.getByRole('heading', { name: 'Import from Gatus' }).waitFor({ timeout: 60_000 })
    await page.getByText('Imported with losses').waitFor()
    await expectAccessible(page, 'import-report')
    assert.equal((await dashboard.owner.get('/v1/monitors')).body.pagination.total, 0)

    const [report] = (await dashboard.owner.get('/v1/imports')).body.data
    const { objects, variables } = (await dashboard.owner.get(`/v1/imports/${report.id}`)).body
    for (const variable of variables) await page.getByLabel(`Value of ${variable}`).fill('https://hooks.example.com/x')
    const chosen = objects.filter(({ key }: { key: string | null }) => key !== null)
    const left = chosen.find(({ key }: { key: string }) => key.startsWith('monitors.'))
    await page.getByRole('searchbox', { name: 'Filter objects' }).fill(left.name)
    await page.getByRole('checkbox', { name: left.name }).first().uncheck()
    await page.getByRole('searchbox', { name: 'Filter objects' }).fill('')
    await page.getByRole('button', { name: `Import ${chosen.length - 1} objects` }).click()
    await page.getByRole('dialog').getByText('Nobody is alerted until you finish').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Import' }).click()
    await page.getByRole('heading', { name: 'Next steps' }).waitFor({ timeout: 60_000 })
    await page.getByRole('heading', { name: 'Finish the import' }).waitFor()
    await expectAccessible(page, 'import-next-steps')
    const names = (await dashboard.owner.get('/v1/monitors?limit=100')).body.data.map(
      ({ name: one }: { name: string }) => one,
    )
    assert.ok(names.length > 0 && !names.includes(left.name))
    const contacts = async () => (await dashboard.owner.get('/v1/contacts?limit=100')).body.data
    assert.ok((await contacts()).every(({ enabled }: { enabled: boolean }) => !enabled))

    await page.goto(dashboard.at('/settings/import'))
    await page.getByRole('link', { name: 'Next steps' }).click()
    await page.getByRole('button', { name: 'Finish import' }).click()
    await page.getByText(/contacts? enabled/).waitFor()
    assert.ok((await contacts()).some(({ enabled }: { enabled: boolean }) => enabled))
    await page.getByRole('button', { name: 'All done…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
    await page.getByRole('button', { name: 'Upload' }).waitFor()
    assert.deepEqual((await dashboard.owner.get('/v1/imports')).body.data, [])
  })
})
